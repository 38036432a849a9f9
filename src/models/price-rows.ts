/** Written by scripts/models/pack.ts: list prices for text, without discounts for batches or regions. */
export const PRICED = { snapshot: '2026-11-28', source: 'genai-prices 0.2.3', currency: 'USD' }

/** A model | input/read from cache/written to cache/written for an hour/output, above so many tokens, from a day on. */
export const PRICE_ROWS = `
claude-fable-5-2 8/0.2/10/16/40
claude-fable-5-1 10/0.25/12.5/20/50
claude-fable-5 10/1/12.5/20/50
claude-mythos-5-2 8/0.2/10/16/40
claude-mythos-5-1 10/0.25/12.5/20/50
claude-mythos-5 10/1/12.5/20/50
claude-opus-5-5 4/0.2/5/8/20
claude-opus-5 5/0.5/6.25/10/25
claude-opus-4-8 5/0.5/6.25/10/25
claude-opus-4-7 5/0.5/6.25/10/25
claude-opus-4-6 5/0.5/6.25/10/25
claude-opus-4-5 5/0.5/6.25/10/25
claude-sonnet-5-5 2/0.1/2.5/4/10
claude-sonnet-5 2/0.2/2.5/4/10
claude-sonnet-4-6 3/0.3/3.75/6/15
claude-sonnet-4-5 3/0.3/3.75/6/15 above=200000/6/0.6/7.5//22.5
claude-haiku-5-5 0.1/0.01/0.125/0.2/0.5 above=100000/0.5/0.05/0.625//2.5
claude-haiku-4-5 1/0.1/1.25/2/5
claude-opus-4-1 15/1.5/18.75/30/75
claude-opus-4-0 15/1.5/18.75/30/75
claude-sonnet-4-0 3/0.3/3.75/6/15
claude-3-7-sonnet 3/0.3/3.75/6/15
claude-3-5-sonnet 3/0.3/3.75/6/15
claude-3-5-haiku 0.8/0.08/1/1.6/4
claude-3-opus 15/1.5/18.75/30/75
claude-3-haiku 0.25/0.03/0.3/0.5/1.25
gpt-6.2-astra 8/0.4/10//40 above=272000/16/0.8/20//60
gpt-6.2-sol 2/0.1/2.5//10 above=272000/4/0.2/5//15
gpt-6.1-sol 2/0.1/2.5//10 above=272000/4/0.2/5//15
gpt-6.1-terra 1/0.05/1.25//5 above=272000/2/0.1/2.5//7.5
gpt-6-astra 10/1/12.5//50 above=272000/20/2/25//75
gpt-6-sol 2/0.2/2.5//10 above=272000/4/0.4/5//15
gpt-6-luna 0.1/0.01/0.125//0.5 above=272000/0.2/0.02/0.25//0.75
gpt-6-astra-law 10/1///50
gpt-5.6 4/0.4/5//20 above=272000/8/0.8/10//30
gpt-5.6-sol 4/0.4/5//20 above=272000/8/0.8/10//30
gpt-5.6-terra 2/0.2/2.5//12 above=272000/4/0.4/5//18
gpt-5.6-luna 0.2/0.02/0.25//1.2 above=272000/0.4/0.04/0.5//1.8
gpt-5.5 5/0.5///30 above=272000/10/1///45
gpt-5.5-pro 30////180 above=272000/60////270
gpt-5.4 2.5/0.25///15 above=272000/5/0.5///22.5
gpt-5.4-mini 0.75/0.075///4.5
gpt-5.4-nano 0.2/0.02///1.25
gpt-5.4-pro 30////180 above=272000/60////270
gpt-5.3-codex 1.75/0.175///14
gpt-5.3-codex-spark 1.75/0.175///14
gpt-5.2 1.75/0.175///14
gpt-5.2-pro 21////168
gpt-5.1 1.25/0.125///10
gpt-5 1.25/0.125///10
gpt-5-mini 0.25/0.025///2
gpt-5-nano 0.05/0.005///0.4
gpt-5-pro 15////120
o3 2/0.5///8
o3-pro 20////80
gpt-4.1 2/0.5///8
gpt-4.1-mini 0.4/0.1///1.6
gpt-4o 2.5/1.25///10
gpt-4o-mini 0.15/0.075///0.6
chat-latest 5/0.5///30
gpt-5-search-api 1.25/0.125///10
gpt-4o-search-preview 2.5////10
gpt-4o-mini-search-preview 0.15////0.6
chatgpt-4o-latest 5////15
gpt-5-chat-latest 1.25/0.125///10
gpt-5-chat 1.25/0.125///10
gpt-5-codex 1.25/0.125///10
gpt-5.1-chat-latest 1.25/0.125///10
gpt-5.1-codex-max 1.25/0.125///10
gpt-5.1-codex-mini 0.25/0.025///2
gpt-5.1-codex 1.25/0.125///10
gpt-5.2-codex 1.75/0.175///14
gpt-5.2-chat-latest 1.75/0.175///14
gpt-5.3-chat-latest 1.75/0.175///14
gpt-3.5-turbo 0.5////1.5
gpt-4-turbo 10////30
gpt-4.1-nano 0.1/0.025///0.4
gpt-4o-2024-05-13 5////15
gpt-4 30////60
o1-pro 150////600
o1 15/7.5///60
o3-mini 1.1/0.55///4.4
o4-mini 1.1/0.275///4.4
gemini-4-neon 3/0.15///15
gemini-4-hydrogen 1.5/0.075///7.5
gemini-4-argon 2/0.1///10 priceFrom=2026-12-01/4/0.2///20
gemini-4-carbon 2/0.1///10
gemini-3.8-flash 0.75/0.075///3.75 priceFrom=2027-01-01/1.5/0.15///7.5
gemini-3.7-flash 0.75/0.075///3.75 priceFrom=2027-01-01/1.5/0.15///7.5
gemini-3.6-flash 0.75/0.075///3.75 priceFrom=2027-01-01/1.5/0.15///7.5
gemini-3.5-flash 1.5/0.15///9
gemini-3.5-flash-lite 0.3/0.03///2.5
gemini-3.1-pro-preview 2/0.2///12 above=200000/4/0.4///18
gemini-3.1-flash-lite 0.25/0.025///1.5
gemini-3-flash-preview 0.5/0.05///3
gemini-2.5-pro 1.25/0.125///10 above=200000/2.5/0.25///15
gemini-2.5-flash 0.3/0.03///2.5
gemini-2.5-flash-lite 0.1/0.01///0.4
gemini-pro-latest 2/0.2///12 above=200000/4/0.4///18
gemini-flash-latest 0.75/0.075///3.75
gemini-flash-lite-latest 0.3/0.03///2.5
gemma-4-31b-it 0////0
gemma-4-26b-a4b-it 0////0
gemini-3-pro 2/0.2///12 above=200000/4/0.4///18
gemini-2.0-flash 0.1/0.025///0.4
gemini-2.0-flash-lite 0.075////0.3
deepseek-v4-pro 0.66/0.022///1.98
deepseek-v4-flash 0.15/0.003///0.6
deepseek-flash 0.15/0.003///0.6
deepseek-v4-flash-vision-exp 0.3/0.006///1.2
kimi-k3.1-pro 2/0.2/2/4/10
kimi-k3.1-pro-highspeed 4/0.2/4/8/20
kimi-k3 3/0.3/3/6/15
kimi-k2.7-code 0.95/0.19///4
kimi-k2.7-code-highspeed 1.9/0.38///8
kimi-k2.6 0.95/0.16///4
qwen3.8-max 2/0.25///6
qwen3.8-flash 0.15/0.016/0.2//0.47
qwen3.7-max 2.5/0.5/3.125//7.5
glm-5.3 1.4/0.26///4.4
glm-5.3-flash 0.15/0.03///0.5
glm-5.2 1.4/0.26///4.4
glm-5.1 1.4/0.26///4.4
glm-5 1/0.2///3.2
glm-5-turbo 1.2/0.24///4
glm-5v-turbo 1.2/0.24///4
glm-4.7 0.6/0.11///2.2
glm-4.6 0.6/0.11///2.2
mistral-large-4 0.7/0.07///2.1
mistral-large-2512 0.5/0.05///1.5
mistral-large-latest 0.5/0.05///1.5
mistral-medium-3-5 1.5/0.15///7.5
mistral-medium-latest 1.5/0.15///7.5
mistral-small-2603 0.15/0.015///0.6
mistral-small-latest 0.15/0.015///0.6
magistral-medium-latest 1.5/0.15///7.5
magistral-small-latest 0.15/0.015///0.6
devstral-latest 0.4/0.04///2
codestral-latest 0.3/0.03///0.9
ministral-14b-latest 0.2/0.02///0.2
ministral-8b-latest 0.15/0.015///0.15
ministral-3b-latest 0.1/0.01///0.1
grok-4.7 2/0.5///6 above=199999/4/1///12 batch=0.8
grok-4.6 2/0.5///6 above=199999/4/1///12
grok-4.5 2/0.3///6 above=199999/4/0.6///12
grok-4.3 1.25/0.2///2.5 above=199999/2.5/0.4///5 batch=0.8
grok-build-latest 2/0.3///6 above=200000/4/0.6///12
grok-build-0.1 1/0.2///2 above=199999/2/0.4///4
grok-4.20-multi-agent 1.25/0.2///2.5 above=200000/2.5/0.4///5 batch=0.8
grok-4.20-0309-reasoning 1.25/0.2///2.5 above=200000/2.5/0.4///5 batch=0.8
grok-4.20-0309-non-reasoning 1.25/0.2///2.5 above=200000/2.5/0.4///5 batch=0.8
MiniMax-M3.1-Flash 0.15/0.015///0.6
MiniMax-M3 0.3/0.06///1.2 above=512000/0.6/0.12///2.4
MiniMax-M2.7 0.3/0.06/0.375//1.2
MiniMax-M2.7-highspeed 0.6/0.06/0.375//2.4
MiniMax-M2.5 0.3/0.03/0.375//1.2
`
