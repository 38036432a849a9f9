import type { JsonObject } from '../../json/json.ts'

/**
 * An upstream for each service of docs/clouds.md, by the name that `init --cloud` takes. Words in capitals stand for
 * what only the operator knows.
 */
export const CLOUD_UPSTREAMS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [
    'azure',
    {
      dialect: 'responses',
      url: 'https://RESOURCE.openai.azure.com/openai/v1',
      key: 'env:AZURE_KEY',
      auth: 'api-key',
    },
  ],
  [
    'azure-dated',
    {
      dialect: 'responses',
      url: 'https://RESOURCE.openai.azure.com/openai/responses',
      query: { 'api-version': '2025-04-01-preview' },
      key: 'env:AZURE_KEY',
      auth: 'api-key',
    },
  ],
  [
    'azure-deployment',
    {
      dialect: 'chat-completions',
      url: 'https://RESOURCE.openai.azure.com/openai/deployments/DEPLOYMENT/chat/completions',
      query: { 'api-version': '2024-10-21' },
      key: 'env:AZURE_KEY',
      auth: 'api-key',
    },
  ],
  [
    'azure-entra',
    {
      dialect: 'responses',
      url: 'https://RESOURCE.openai.azure.com/openai/v1',
      auth: {
        entra: {
          tenant: 'env:AZURE_TENANT_ID',
          clientId: 'env:AZURE_CLIENT_ID',
          clientSecret: 'env:AZURE_CLIENT_SECRET',
        },
      },
    },
  ],
  [
    'foundry',
    {
      dialect: 'messages',
      url: 'https://RESOURCE.services.ai.azure.com/anthropic',
      key: 'env:FOUNDRY_KEY',
    },
  ],
  [
    'bedrock',
    {
      dialect: 'messages',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic',
      key: 'env:AWS_BEARER_TOKEN_BEDROCK',
      auth: 'bearer',
    },
  ],
  [
    'bedrock-signed',
    {
      dialect: 'messages',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic',
      auth: { aws: 'env' },
    },
  ],
  [
    'bedrock-mantle',
    {
      dialect: 'messages',
      url: 'https://bedrock-mantle.us-east-1.api.aws/anthropic',
      key: 'env:AWS_BEARER_TOKEN_BEDROCK',
    },
  ],
  [
    'bedrock-invoke',
    {
      dialect: 'messages',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
      profile: 'bedrock-invoke',
      auth: { aws: 'env' },
    },
  ],
  [
    'bedrock-openai',
    {
      dialect: 'responses',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
      key: 'env:AWS_BEARER_TOKEN_BEDROCK',
    },
  ],
  [
    'bedrock-openai-mantle',
    {
      dialect: 'chat-completions',
      url: 'https://bedrock-mantle.us-east-1.api.aws/v1',
      key: 'env:AWS_BEARER_TOKEN_BEDROCK',
    },
  ],
  [
    'claude-aws',
    {
      dialect: 'messages',
      url: 'https://aws-external-anthropic.us-east-1.api.aws',
      headers: { 'anthropic-workspace-id': 'wrkspc_01' },
      key: 'env:CLAUDE_AWS_KEY',
    },
  ],
  [
    'claude-google',
    {
      dialect: 'messages',
      url: 'https://claude.googleapis.com/v1/projects/PROJECT/locations/global/workspaces/wrkspc_01/invoke',
      auth: { google: 'env:SERVICE_ACCOUNT_JSON' },
    },
  ],
  [
    'vertex-claude',
    {
      dialect: 'messages',
      url: 'https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global/publishers/anthropic',
      auth: { google: 'metadata' },
    },
  ],
  [
    'vertex-gemini',
    {
      dialect: 'generate-content',
      url: 'https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global/publishers/google',
      auth: { google: 'env:SERVICE_ACCOUNT_JSON' },
    },
  ],
  [
    'vertex-express',
    {
      dialect: 'generate-content',
      url: 'https://aiplatform.googleapis.com/v1/publishers/google',
      key: 'env:VERTEX_KEY',
    },
  ],
  [
    'vertex-chat',
    {
      dialect: 'chat-completions',
      url: 'https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global/endpoints/openapi',
      auth: { google: 'env:SERVICE_ACCOUNT_JSON' },
    },
  ],
  [
    'vertex-openai',
    {
      dialect: 'responses',
      url: 'https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/global/publishers/openai/v1',
      auth: { google: 'env:SERVICE_ACCOUNT_JSON' },
    },
  ],
])
