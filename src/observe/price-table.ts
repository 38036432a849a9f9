/** Written by scripts/prices.ts: list prices for text, without discounts for batches or regions. */
export const SNAPSHOT = {
  snapshot: '2026-11-22',
  source: '@pydantic/genai-prices 0.1.8',
  licence: 'MIT',
  sha256: '0c9da2297434f9f0a3033f26442542457e7b2a68f411aa1b0bb4cade1a129c06',
  currency: 'USD',
  per: 1_000_000,
}

/** Globs of names | input, read from cache, written to cache, output | from so many tokens of input on: the same. */
export const ROWS = `
ada,text-ada-001|0.4   0.4
babbage|0.5   0.5
chatgpt-4o-latest|5   15
claude-2*|8   24
claude-3-5-haiku*,claude-3.5-haiku*|0.8 0.08 1 4
claude-3-5-sonnet*,claude-3.5-sonnet*|3 0.3 3.75 15
claude-3-7-sonnet*,claude-3.7-sonnet*,claude-sonnet-3.7*,claude-sonnet-3-7*|3 0.3 3.75 15
claude-3-haiku*|0.25 0.03 0.3 1.25
claude-3-opus*|15 1.5 18.75 75
claude-3-sonnet*|3 0.3 3.75 15
claude-fable-5-1|10 0.25 12.5 50
claude-fable-5|10 1 12.5 50
claude-haiku-4-5*,claude-haiku-4.5*,claude-4-5-haiku*,claude-4.5-haiku*|1 0.1 1.25 5
claude-opus-4-0*,claude-4-opus*,claude-opus-4,claude-opus-4-20250514|15 1.5 18.75 75
claude-opus-4-1*,claude-opus-4.1*|15 1.5 18.75 75
claude-opus-4-5*,claude-opus-4.5*,claude-4-5-opus*,claude-4.5-opus*|5 0.5 6.25 25
claude-opus-4-6*,claude-opus-4.6*,claude-4-6-opus*,claude-4.6-opus*|5 0.5 6.25 25
claude-opus-4-7*,claude-opus-4.7*,claude-4-7-opus*,claude-4.7-opus*|5 0.5 6.25 25
claude-opus-4-8*,claude-opus-4.8*,claude-4-8-opus*,claude-4.8-opus*|5 0.5 6.25 25
claude-opus-4|15 1.5 18.75 75
claude-opus-5,claude-opus-5.0*,claude-5-opus*,claude-5.0-opus*|5 0.5 6.25 25
claude-opus-5-5,claude-opus-5.5*,claude-5-5-opus*,claude-5.5-opus*|4 0.2 5 20
claude-sonnet-4,anthropic/claude-sonnet-4|3 0.3 3.75 15
claude-sonnet-4-2025*,claude-sonnet-4-0*,claude-sonnet-4@*,claude-sonnet-4,claude-4-sonnet*|3 0.3 3.75 15
claude-sonnet-4-5*,claude-sonnet-4.5*|3 0.3 3.75 15|200000 6 0.6 7.5 22.5
claude-sonnet-4-6*,claude-sonnet-4.6*|3 0.3 3.75 15
claude-sonnet-5*,claude-sonnet-5.0*,claude-5-sonnet*,claude-5.0-sonnet*|2 0.2 2.5 10
claude-v1|8   24
codex-mini,codex-mini-latest|1.5 0.375  6
computer-use*|3   12
curie,text-curie-001|2   2
davinci,text-davinci-001|20   20
ft:gpt-3.5-turbo*|3   6
ft:gpt-4o-2024-*|3.75   15
ft:gpt-4o-mini-2024-*|0.3   1.2
gemini-1.0-pro-vision-001|0.125   0.375
gemini-2.5-flash,gemini-2.5-flash-latest,gemini-2.5-flash-preview-09-2025|0.3 0.03  2.5
gemini-2.5-flash-image,gemini-2.5-flash-image-preview|0.3   2.5
gemini-2.5-flash-lite,gemini-2.5-flash-lite-preview*|0.1 0.01  0.4
gemini-2.5-flash-lite-preview-tts|0.5   10
gemini-2.5-flash-preview-05-20:thinking,gemini-2.5-flash-preview,gemini-2.5-flash-preview:thinking|0.15   0.6
gemini-2.5-flash-tts,gemini-2.5-flash-preview-tts|0.5   10
gemini-2.5-pro*|1.25 0.125  10|200000 2.5 0.25  15
gemini-2.5-pro-tts,gemini-2.5-pro-preview-tts|1   20
gemini-3-flash-preview,gemini-3-flash-preview-*|0.5 0.05  3
gemini-3-pro-image,gemini-3-pro-image-preview*|2   12
gemini-3-pro-preview*,gemini-3-pro-text-preview|2 0.2  12|200000 4 0.4  18
gemini-3.1-flash-image,gemini-3.1-flash-image-preview*|0.5   3
gemini-3.1-flash-lite,gemini-3.1-flash-lite-preview*|0.25 0.025  1.5
gemini-3.1-flash-lite-image*|0.25   1.5
gemini-3.1-flash-live-preview*|0.75   4.5
gemini-3.1-pro-preview*|2 0.2  12|200000 4 0.4  18
gemini-3.5-flash,gemini-3.5-flash-preview*|1.5 0.15  9
gemini-3.5-flash-lite*|0.3 0.03  2.5
gemini-3.6-flash*|0.75 0.075  3.75
gemini-3.7-flash*|0.75 0.075  3.75
gemini-3.8-flash*|0.75 0.075  3.75
gemini-flash-1.5-8b|0.0375 0.01  0.15|128000 0.075 0.02  0.3
gemini-flash-1.5|0.075 0.01875  0.3|128000 0.15 0.0375  0.6
gemini-live-2.5-flash*,gemini-2.5-flash-native-audio-preview*,gemini-2.5-flash-native-audio-latest|0.5   2
gemini-omni-flash-preview*|1.5   9
gemini-pro,gemini-1.0-pro|0.125   0.375
gemini-pro-1.5|1.25 0.3125  5|128000 2.5 0.625  10
gemma-2-27b-it|0.65   0.65
gemma-4-26b-a4b-it-maas|0.15 0.015  0.6
gpt-3.5-turbo,gpt-35-turbo,gpt-3.5-turbo-0125|0.5   1.5
gpt-3.5-turbo-0301,gpt-3.5-0301|1.5   2
gpt-3.5-turbo-0613|1.5   2
gpt-3.5-turbo-1106|1   2
gpt-3.5-turbo-16k,gpt-3.5-turbo-16k-0613,gpt-35-turbo-16k-0613,gpt-35-turbo-16k|3   4
gpt-3.5-turbo-instruct*,gpt-3.5-turbo-instruct-0914|1.5   2
gpt-4,gpt-4-0314,gpt-4-0613,ft:gpt-4-0*|30   60
gpt-4-32k,gpt-4-32k-0314,gpt-4-32k-0613|60   120
gpt-4-turbo,gpt-4-turbo-2024-04-09,gpt-4-turbo-0125-preview,gpt-4-0125-preview,gpt-4-1106-preview,gpt-4-turbo-preview|10   30
gpt-4-vision-preview,gpt-4-1106-vision-preview|10   30
gpt-4.1,gpt-4.1-2025-04-14|2 0.5  8
gpt-4.1-mini,gpt-4.1-mini-2025-04-14|0.4 0.1  1.6
gpt-4.1-nano,gpt-4.1-nano-2025-04-14|0.1 0.025  0.4
gpt-4.5-preview*|75 37.5  150
gpt-4o,gpt-4o-2024-08-06,gpt-4o-2024-11-20|2.5 1.25  10
gpt-4o-2024-05-13|5   15
gpt-4o-audio-preview*|2.5   10
gpt-4o-mini,gpt-4o-mini-2024-07-18,gpt-4o-mini-search-preview,gpt-4o-mini-search-preview-2025-03-11|0.15 0.075  0.6
gpt-4o-mini-2024-07-18.ft-*|0.3   1.2
gpt-4o-mini-audio*|0.15   0.6
gpt-4o-mini-realtime*|0.6 0.3  2.4
gpt-4o-mini-transcribe|1.25   5
gpt-4o-mini-tts|0.6   12
gpt-4o-realtime*|5 2.5  20
gpt-4o-search-preview,gpt-4o-search-preview-2025-03-11|2.5   10
gpt-4o-transcribe,gpt-4o-transcribe-diarize|2.5   10
gpt-4o:extended|6   18
gpt-5,gpt-5-2025-08-07,gpt-5-chat,gpt-5-chat-latest,gpt-5-codex|1.25 0.125  10
gpt-5-image-mini|2.5 0.25  2
gpt-5-image|10 1.25  10
gpt-5-mini,gpt-5-mini-2025-08-07|0.25 0.025  2
gpt-5-nano,gpt-5-nano-*|0.05 0.005  0.4
gpt-5-pro,gpt-5-pro-2025-10-06|15   120
gpt-5.1,gpt-5.1-2025-11-13,gpt-5.1-codex,gpt-5.1-codex-max,gpt-5.1-chat,gpt-5.1-chat-latest,gpt-5-1,gpt-5-1-2025-11-13,gpt-5-1-codex,gpt-5-1-codex-max,gpt-5-1-chat,gpt-5-1-chat-latest|1.25 0.125  10
gpt-5.1-codex-mini,gpt-5.1-mini,gpt-5-1-codex-mini,gpt-5-1-mini|0.25 0.025  2
gpt-5.2,gpt-5.2-2025-12-11,gpt-5-2,gpt-5-2-2025-12-11,gpt-5.2-chat,gpt-5.2-chat-latest,gpt-5-2-chat,gpt-5-2-chat-latest,gpt-5.2-codex,gpt-5-2-codex|1.75 0.175  14
gpt-5.2-pro,gpt-5.2-pro-2025-12-11,gpt-5-2-pro-2025-12-11|21   168
gpt-5.3,gpt-5-3,gpt-5.3-chat,gpt-5.3-chat-latest,gpt-5-3-chat,gpt-5-3-chat-latest|1.75 0.175  14
gpt-5.3-codex,gpt-5-3-codex|1.75 0.175  14
gpt-5.4,gpt-5.4-2026-03-05,gpt-5-4,gpt-5-4-2026-03-05|2.5 0.25  15|271999 5 0.5  22.5
gpt-5.4-image-2|8 2  15
gpt-5.4-mini,gpt-5.4-mini-2026-03-17,gpt-5-4-mini,gpt-5-4-mini-2026-03-17|0.75 0.075  4.5
gpt-5.4-nano,gpt-5.4-nano-2026-03-17,gpt-5-4-nano,gpt-5-4-nano-2026-03-17|0.2 0.02  1.25
gpt-5.4-pro,gpt-5.4-pro-2026-03-05,gpt-5-4-pro,gpt-5-4-pro-2026-03-05|30   180|271999 60   270
gpt-5.5,gpt-5.5-2026-04-23,gpt-5.5-2026-04-24,gpt-5-5,gpt-5-5-2026-04-23,gpt-5-5-2026-04-24,gpt-5.5-chat,gpt-5.5-chat-latest,gpt-5-5-chat,gpt-5-5-chat-latest,gpt-5.5-codex,gpt-5-5-codex|5 0.5  30|271999 10 1  45
gpt-5.5-pro,gpt-5.5-pro-2026-04-23,gpt-5-5-pro,gpt-5-5-pro-2026-04-23|30   180|271999 60   270
gpt-5.6-luna,gpt-5-6-luna|0.2 0.02 0.25 1.2|271999 0.4 0.04 0.5 1.8
gpt-5.6-sol,gpt-5-6-sol,gpt-5.6,gpt-5-6|4 0.4 5 20|271999 8 0.8 10 30
gpt-5.6-terra,gpt-5-6-terra|2 0.2 2.5 12|271999 4 0.4 5 18
gpt-6-astra|10 1 12.5 50|271999 20 2 25 75
gpt-6-luna|0.1 0.01 0.125 0.5|272000 0.2 0.02 0.25 0.75
gpt-6-sol|2 0.2 2.5 10|272000 4 0.4 5 15
gpt-audio,gpt-audio-2025-08-28,gpt-audio-1.5|2.5   10
gpt-audio-mini,gpt-audio-mini-2025-10-06,gpt-audio-mini-2025-12-15|0.6   2.4
gpt-chat-latest|5 0.5  30
gpt-image-1-mini|2 0.2  8
gpt-image-1.5,gpt-image-1.5-2025-12-16|5 1.25  10
gpt-image-1|5 1.25  40
gpt-image-2,gpt-image-2-2026-04-21|5 1.25  30
gpt-oss-120b|0.039   0.18
gpt-oss-20b|0.029   0.14
gpt-oss-safeguard-20b|0.075 0.037  0.3
gpt-realtime,gpt-realtime-2025-08-28,gpt-realtime-1.5|4 0.4  16
gpt-realtime-2,gpt-realtime-2.1|4 0.4  24
gpt-realtime-mini,gpt-realtime-2.1-mini,gpt-realtime-mini-2025-12-15,gpt-realtime-mini-2025-10-06|0.6 0.06  2.4
o1,o1-2024-12-17|15 7.5  60
o1-mini,o1-mini-2024-09-12|1.1 0.55  4.4
o1-preview,o1-preview-2024-09-12|15 7.5  60
o1-pro,o1-pro-2025-03-19|150   600
o3,o3-2025-04-16|2 0.5  8
o3-deep-research,o3-deep-research-2025-06-26|10 2.5  40
o3-mini,o3-mini-2025-01-31,o3-mini-high|1.1 0.55  4.4
o3-pro,o3-pro-2025-06-10|20   80
o4-mini-2025-04-16,o4-mini-high,o4-mini|1.1 0.275  4.4
o4-mini-deep-research,o4-mini-deep-research-2025-06-26|2 0.5  8
text-davinci-002|20   20
text-davinci-003|20   20
`
