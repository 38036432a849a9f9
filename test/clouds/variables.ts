import { generateKeyPairSync } from 'node:crypto'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What docs/clouds.md names with `env:`. */
export const CLOUD_VARIABLES: Record<string, string> = {
  AZURE_KEY: 'azure-key-0123456789',
  AZURE_TENANT_ID: 'contoso',
  AZURE_CLIENT_ID: 'client-0123456789',
  AZURE_CLIENT_SECRET: 'client-secret-0123456789',
  FOUNDRY_KEY: 'foundry-key-0123456789',
  CLAUDE_AWS_KEY: 'claude-aws-key-0123456789',
  VERTEX_KEY: 'vertex-key-0123456789',
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0123456789',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE0123456',
  AWS_SECRET_ACCESS_KEY: 'secret-key-0123456789',
  SERVICE_ACCOUNT_JSON: JSON.stringify({
    type: 'service_account',
    client_email: 'me@project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }),
}
