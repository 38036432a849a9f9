/** Written by scripts/models/pack.ts. A line is what differs from the one before; `*` begins anew, `-` takes away. */
export const MODEL_ROWS = `
claude-fable-5-2 thinking=adaptive thinkingOff=no on=yes efforts=low/medium/high/xhigh/max forcedChoice=no sampling=never systemInPlace=yes deferredTools=yes binds=yes structured=yes image=yes contextWindow=1000000 maxOutputTokens=128000 display=updates prefill=no screen=computer_toolset_20260801 fast=yes
claude-fable-5-1 -fast effortDefault=high pdf=yes screen=computer_20251124
claude-fable-5 -display forcedChoice=yes binds=no
claude-mythos-5-2 -effortDefault -image -pdf -maxOutputTokens forcedChoice=no binds=yes display=updates screen=computer_toolset_20260801 fast=yes
claude-mythos-5-1 -fast image=yes pdf=yes maxOutputTokens=128000 screen=computer_20251124
claude-mythos-5 -display forcedChoice=yes binds=no
claude-opus-5-5 effortDefault=medium forcedChoice=no binds=yes display=updates screen=computer_toolset_20260801 fast=yes
claude-opus-5 -display thinkingOff=yes offUpTo=high effortDefault=high forcedChoice=yes binds=no screen=computer_20251124 fast=beta
claude-opus-4-8 -offUpTo on=no
claude-opus-4-7 -fast forcedChoice=without-thinking systemInPlace=no
claude-opus-4-6 thinking=either efforts=low/medium/high/max forcedChoice=yes sampling=always
claude-opus-4-5 thinking=budget efforts=low/medium/high prefill=yes contextWindow=200000 maxOutputTokens=64000 ends=2027-01-22 budget=1024/128000
claude-sonnet-5-5 -ends -budget thinking=adaptive thinkingOff=between_tools offUpTo=high on=yes efforts=low/medium/high/xhigh/max forcedChoice=no sampling=never prefill=no systemInPlace=yes binds=yes contextWindow=1000000 maxOutputTokens=128000 display=updates screen=computer_toolset_20260801
claude-sonnet-5 -offUpTo -display thinkingOff=yes forcedChoice=yes systemInPlace=no binds=no screen=computer_20251124
claude-sonnet-4-6 thinking=either on=no efforts=low/medium/high/max sampling=always
claude-sonnet-4-5 -effortDefault thinking=budget efforts=- prefill=yes contextWindow=200000 maxOutputTokens=64000 ends=2026-11-30 screen=computer_20250124 budget=1024/128000
claude-haiku-5-5 -ends -budget thinking=adaptive offUpTo=high on=yes efforts=low/medium/high/xhigh/max sampling=never prefill=no systemInPlace=yes binds=yes contextWindow=1000000 maxOutputTokens=128000 screen=computer_20251124
claude-haiku-4-5 -offUpTo thinking=budget on=no efforts=- sampling=always prefill=yes systemInPlace=no binds=no contextWindow=200000 maxOutputTokens=64000 code=20250825 screen=computer_20250124 budget=1024/128000
claude-opus-4-1 -image -pdf deferredTools=no maxOutputTokens=32000
claude-opus-4-0 structured=no
claude-sonnet-4-0 maxOutputTokens=64000
claude-3-7-sonnet -binds strict=no ends=2026-02-19
claude-3-5-sonnet -thinkingOff -on -budget -screen thinking=none maxOutputTokens=8192 ends=2025-10-28
claude-3-5-haiku ends=2026-02-19
claude-3-opus -code maxOutputTokens=4096 ends=2026-01-05
claude-3-haiku ends=2026-04-20
claude-opus-4* is=claude-opus-4-0
claude-sonnet-4 is=claude-sonnet-4-0
claude-mythos-preview is=claude-mythos-5 ends=2026-06-30
gpt-6.2-astra* thinkingOff=no efforts=low/medium/high/xhigh/max systemInPlace=yes deferredTools=yes cacheBreakpoints=yes image=yes maxOutputTokens=128000 thinking=effort on=yes sampling=never contextWindow=922000 chat=yes chatTools=never outputWord=max_completion_tokens stops=no penalties=no role=developer verbosity=yes lateTools=yes screen=computer effortUpdates=yes storesByDefault=yes codex=yes
gpt-6.2-sol
gpt-6.1-sol structured=yes pdf=yes
gpt-6.1-terra thinkingOff=yes efforts=none/low/medium/high/xhigh/max sampling=without-thinking chatTools=without-thinking
gpt-6-astra thinkingOff=no efforts=low/medium/high/xhigh/max sampling=never chatTools=never
gpt-6-sol thinkingOff=yes efforts=none/low/medium/high/xhigh/max effortDefault=medium sampling=without-thinking chatTools=without-thinking
gpt-6-luna
gpt-6-astra-law -effortDefault -systemInPlace -structured thinkingOff=no efforts=low/medium/high/xhigh/max sampling=never chatTools=never
gpt-5.6 thinkingOff=yes efforts=none/low/medium/high/xhigh/max effortDefault=medium sampling=without-thinking systemInPlace=yes chatTools=without-thinking structured=yes
gpt-5.6-sol
gpt-5.6-terra
gpt-5.6-luna
gpt-5.5 -effortUpdates efforts=none/low/medium/high/xhigh cacheBreakpoints=no contextWindow=1050000
gpt-5.5-pro -chatTools thinkingOff=no efforts=medium/high/xhigh sampling=never chat=no
gpt-5.4 thinkingOff=yes on=no efforts=none/low/medium/high/xhigh effortDefault=none sampling=without-thinking chat=yes chatTools=without-thinking
gpt-5.4-mini contextWindow=272000
gpt-5.4-nano -screen deferredTools=no ends=2027-04-01
gpt-5.4-pro -effortDefault -ends -chatTools thinkingOff=no on=yes efforts=medium/high/xhigh sampling=never deferredTools=yes chat=no structured=no contextWindow=1050000 screen=computer
gpt-5.3-codex -screen thinkingOff=yes on=no efforts=none/low/medium/high/xhigh sampling=without-thinking deferredTools=no structured=yes contextWindow=272000 ends=2027-04-01
gpt-5.3-codex-spark -ends thinkingOff=no efforts=low/medium/high/xhigh contextWindow=128000 maxOutputTokens=32000
gpt-5.2 thinkingOff=yes efforts=none/low/medium/high/xhigh effortDefault=none chat=yes contextWindow=272000 maxOutputTokens=128000
gpt-5.2-pro -effortDefault thinkingOff=no on=yes efforts=medium/high/xhigh sampling=never chat=no structured=no
gpt-5.1 thinkingOff=yes on=no efforts=none/low/medium/high effortDefault=none sampling=without-thinking chat=yes structured=yes ends=2027-04-01
gpt-5 -effortDefault thinkingOff=no on=yes efforts=minimal/low/medium/high sampling=never ends=2026-12-11
gpt-5-mini
gpt-5-nano
gpt-5-pro efforts=high chat=no contextWindow=400000 maxOutputTokens=272000
o3 -lateTools -codex efforts=low/medium/high chat=yes contextWindow=200000 maxOutputTokens=100000 verbosity=no
o3-pro chat=no
gpt-4.1 -thinkingOff -on -efforts -outputWord -stops -penalties -role thinking=none sampling=always chat=yes contextWindow=1047576 maxOutputTokens=32768 ends=2027-01-14
gpt-4.1-mini
gpt-4o -systemInPlace -chat contextWindow=128000 maxOutputTokens=16384
gpt-4o-mini
chat-latest -deferredTools -structured -ends efforts=medium chat=yes contextWindow=400000 maxOutputTokens=128000 thinking=effort thinkingOff=no on=yes sampling=never outputWord=max_completion_tokens stops=no penalties=no role=developer
gpt-5-search-api -chat -image -pdf -contextWindow -maxOutputTokens efforts=low/medium/high webSearch=yes verbosity=yes lateTools=yes codex=yes
gpt-4o-search-preview* thinking=none sampling=never webSearch=yes cacheBreakpoints=no storesByDefault=yes verbosity=no
gpt-4o-mini-search-preview
codex-mini-latest -webSearch thinking=effort thinkingOff=no on=yes efforts=low/medium/high chat=no outputWord=max_completion_tokens stops=no penalties=no role=developer ends=2026-02-12 codex=yes
chatgpt-4o-latest* thinking=none sampling=always deferredTools=no cacheBreakpoints=no storesByDefault=yes ends=2026-02-17 verbosity=no
gpt-4-0125-preview ends=2026-03-26
gpt-4-0314
gpt-4-turbo-preview
gpt-5-chat-latest outputWord=max_completion_tokens lateTools=yes ends=2026-07-23 codex=yes
gpt-5-chat
gpt-5-codex thinking=effort thinkingOff=no on=yes efforts=low/medium/high sampling=never chat=no verbosity=yes stops=no penalties=no role=developer
gpt-5.1-chat-latest -thinkingOff -on -efforts -chat -stops -penalties -role thinking=none sampling=always verbosity=no
gpt-5.1-codex-max thinking=effort thinkingOff=yes on=yes efforts=none/low/medium/high/xhigh sampling=without-thinking chat=no verbosity=yes stops=no penalties=no role=developer
gpt-5.1-codex-mini thinkingOff=no efforts=low/medium/high sampling=never
gpt-5.1-codex
gpt-5.2-codex efforts=low/medium/high/xhigh
gpt-5.2-chat-latest -thinkingOff -on -efforts -chat -stops -penalties -role thinking=none sampling=always verbosity=no ends=2026-08-10
gpt-5.3-chat-latest
gpt-3.5-turbo-1106 -outputWord -lateTools -codex ends=2026-09-28
gpt-3.5-turbo ends=2026-10-23
gpt-4-0613
gpt-4-1106-preview
gpt-4-turbo
gpt-4.1-nano
gpt-4o-2024-05-13
gpt-4
o1-pro thinking=effort thinkingOff=no on=yes efforts=low/medium/high sampling=never outputWord=max_completion_tokens stops=no penalties=no role=developer
o1
o3-mini
o4-mini
gemini-4-neon* thinkingOff=no efforts=low/medium/high/xhigh image=yes contextWindow=1048576 maxOutputTokens=65536 sampling=ignored penalties=no n=1 prefill=no effortDefault=high thinking=level mixesTools=yes mediaLevels=yes structuredWithTools=yes storesByDefault=yes
gemini-4-hydrogen pdf=yes audio=yes video=yes
gemini-4-argon efforts=low/medium/high effortDefault=medium structured=yes
gemini-4-carbon -effortDefault -structured -pdf -audio -video maxOutputTokens=32768
gemini-3.8-flash -penalties -n -prefill structured=yes pdf=yes audio=yes video=yes maxOutputTokens=65536
gemini-3.7-flash
gemini-3.6-flash efforts=minimal/low/medium/high effortDefault=medium
gemini-3.5-flash -sampling
gemini-3.5-flash-lite effortDefault=minimal sampling=ignored
gemini-3.1-pro-preview -sampling efforts=low/medium/high effortDefault=high
gemini-3.1-flash-lite efforts=minimal/low/medium/high effortDefault=minimal ends=2027-05-07
gemini-3-flash-preview -ends effortDefault=high
gemini-2.5-pro -efforts -effortDefault -mediaLevels -structuredWithTools thinking=budget budget=128/32768 ends=2026-12-01 mixesTools=no next=gemini-3.8-flash reroutes=yes screen=older
gemini-2.5-flash thinkingOff=yes budget=0/24576 next=gemini-3.5-flash-lite
gemini-2.5-flash-lite -ends -next -reroutes
gemini-pro-latest -budget -screen thinkingOff=no efforts=low/medium/high thinking=level mixesTools=yes mediaLevels=yes structuredWithTools=yes
gemini-flash-latest is=gemini-3.8-flash
gemini-flash-lite-latest -is efforts=minimal/low/medium/high
gemma-4-31b-it* efforts=- structured=yes image=yes pdf=yes contextWindow=262144 maxOutputTokens=32768 thinking=none role=user
gemma-4-26b-a4b-it
gemini-2.5-computer-use* thinking=budget budget=128/32768 thinkingOff=no mixesTools=no image=yes screen=older storesByDefault=yes
gemini-2.5-flash-image -budget -thinkingOff thinking=none efforts=- sampling=always
gemini-3-pro -sampling -screen thinking=level thinkingOff=no efforts=low/high mixesTools=yes mediaLevels=yes structuredWithTools=yes pdf=yes audio=yes video=yes contextWindow=1048576 maxOutputTokens=65536
gemini-2.0-flash* thinking=none efforts=- sampling=always image=yes mixesTools=no storesByDefault=yes ends=2026-02-03 screen=older
gemini-2.0-flash-lite
gemini-3.1-flash-lite-preview* is=gemini-3.1-flash-lite ends=2026-05-25
deepseek-v4-pro* efforts=low/high/max systemInPlace=yes structured=yes image=no contextWindow=1000000 maxOutputTokens=393216 thinkingOff=yes on=yes forcedChoice=without-thinking sampling=ignored-while-thinking chatSchema=no role=system
deepseek-v4-flash -systemInPlace image=yes
deepseek-flash
deepseek-v4-flash-vision-exp
deepseek-chat* is=deepseek-v4-flash ends=2026-07-24
deepseek-reasoner
kimi-k3.1-pro* thinkingOff=no efforts=low/high/max systemInPlace=yes image=yes contextWindow=1048576 maxOutputTokens=1048576 thinkingWord=no temperature=1 forcedChoice=yes penalties=no n=1 effortDefault=max strict=no
kimi-k3.1-pro-highspeed
kimi-k3 video=yes
kimi-k2.7-code -thinkingWord -penalties -n -effortDefault -strict contextWindow=262144 maxOutputTokens=262144 efforts=- forcedChoice=named ends=2026-12-31
kimi-k2.7-code-highspeed -video
kimi-k2.6 video=yes thinkingOff=yes on=yes temperatureOff=0.6
kimi-k2.5* is=kimi-k2.6 ends=2026-08-31
moonshot-v1-128k -is thinking=none efforts=-
moonshot-v1-128k-vision-preview
moonshot-v1-32k
moonshot-v1-32k-vision-preview
moonshot-v1-8k
moonshot-v1-8k-vision-preview
moonshot-v1-auto
qwen4-max-preview* thinkingOff=no efforts=low/medium/xhigh image=yes contextWindow=1000000 maxOutputTokens=393216
qwen3.8-max contextWindow=991808 maxOutputTokens=131072 on=yes effortDefault=xhigh forcedChoice=without-thinking
qwen3.8-flash video=yes
qwen3.7-max* image=no contextWindow=991808 maxOutputTokens=65536
qwen3.7-plus image=yes
qwen3.6-plus contextWindow=1000000
qwen3.6-flash
qwen3.5-plus contextWindow=991808
qwen3-max -image contextWindow=258048
qwen3-coder-plus contextWindow=997952
qwen3-coder-flash
glm-5.3 thinkingOff=no efforts=low/high/max image=no contextWindow=1000000 maxOutputTokens=128000 effortDefault=max
glm-5.3-flash image=yes contextWindow=1048576
glm-5.2 -effortDefault thinkingOff=yes efforts=none/high/max image=no contextWindow=1000000
glm-5.1* contextWindow=200000 maxOutputTokens=128000
glm-5
glm-5-turbo image=no maxOutputTokens=131072
glm-5v-turbo image=yes maxOutputTokens=128000
glm-4.7 image=no
glm-4.6 -image
mistral-large-4 thinkingOff=no efforts=low/medium/high image=yes contextWindow=1048576 maxOutputTokens=262144
mistral-large-2512 -thinkingOff -efforts thinking=none contextWindow=262144 ends=2027-04-30
mistral-large-latest -ends efforts=-
mistral-medium-3-5 -thinking efforts=none/high ends=2027-04-30
mistral-medium-latest -ends thinking=effort thinkingOff=yes structured=yes
mistral-small-2603 -thinking -structured
mistral-small-latest thinking=effort
magistral-medium-latest
magistral-small-latest
devstral-latest -thinkingOff thinking=none image=no contextWindow=256000 maxOutputTokens=256000
codestral-latest -efforts contextWindow=128000 maxOutputTokens=128000
ministral-14b-latest efforts=- image=yes contextWindow=262144 maxOutputTokens=262144
ministral-8b-latest
ministral-3b-latest -efforts contextWindow=131072 maxOutputTokens=131072
labs-leanstral-1-5* ends=2026-09-30
grok-4.7* thinking=effort thinkingOff=no efforts=low/medium/high/xhigh image=yes contextWindow=500000 maxOutputTokens=500000 stops=no penalties=no
grok-4.6
grok-4.5 efforts=low/medium/high structured=yes pdf=yes
grok-4.3 thinkingOff=yes efforts=none/low/medium/high effortDefault=low contextWindow=1000000 maxOutputTokens=1000000
grok-build-latest -effortDefault -structured -pdf thinkingOff=no efforts=low/medium/high contextWindow=500000 maxOutputTokens=500000
grok-build-0.1 -thinking -thinkingOff -efforts structured=yes pdf=yes contextWindow=256000 maxOutputTokens=256000
grok-latest* is=grok-4.3
grok-4.20-multi-agent* forcedChoice=no image=yes contextWindow=1000000 maxOutputTokens=1000000 efforts=low/medium/high/xhigh stops=no penalties=no
grok-4.20-0309-reasoning -forcedChoice structured=yes pdf=yes thinking=always efforts=- thinkingOff=no
grok-4.20-0309-non-reasoning -efforts -thinkingOff -stops -penalties thinking=none
grok-code-fast-1* thinking=always efforts=- thinkingOff=no stops=no penalties=no ends=2026-05-15
MiniMax-M3.1-Flash* thinking=adaptive thinkingOff=no efforts=low/medium/high/xhigh/max image=yes contextWindow=1000000 maxOutputTokens=524288
MiniMax-M3 -thinking -thinkingOff -efforts maxOutputTokens=128000
MiniMax-M2.7 image=no contextWindow=204800 maxOutputTokens=131072
MiniMax-M2.7-highspeed
MiniMax-M2.5* contextWindow=1000000 maxOutputTokens=8192
gpt-oss-120b* thinking=effort thinkingOff=no efforts=low/medium/high effortDefault=medium forcedChoice=no image=no contextWindow=131072 codex=yes
gpt-oss-20b
claude-opus-4-7@bedrock* structured=no strict=no efforts=low/medium/high/xhigh
claude-opus-4-8@bedrock
claude-sonnet-5@bedrock
claude-sonnet-5-5@bedrock
claude-fable-5@bedrock
claude-fable-5-1@bedrock
claude-fable-5-2@bedrock
claude-mythos-5@bedrock
claude-mythos-5-1@bedrock
claude-mythos-5-2@bedrock
claude-haiku-5-5@bedrock
claude-opus-5@bedrock -efforts
claude-opus-5-5@bedrock
claude-opus-4-5@bedrock* efforts=high
claude-sonnet-4-6@bedrock* maxOutputTokens=64000
claude-opus-4-5@vertex* strict=no
claude-opus-4-6@vertex
claude-opus-4-7@vertex
claude-opus-4-8@vertex
claude-opus-5@vertex
claude-opus-5-5@vertex
claude-sonnet-4-5@vertex
claude-sonnet-4-6@vertex
claude-sonnet-5@vertex
claude-sonnet-5-5@vertex
claude-haiku-4-5@vertex
claude-haiku-5-5@vertex
claude-fable-5@vertex
claude-fable-5-1@vertex
claude-fable-5-2@vertex
gemini-4-argon@vertex*
gemini-3.1-pro-preview@vertex thinkingOff=yes
claude-fable-5@azure* efforts=low/medium/high/xhigh
claude-fable-5-1@azure
claude-mythos-5-1@azure
gpt-6-astra@azure
gpt-6.1-terra@azure efforts=low/medium/high/xhigh/max thinkingOff=no
`
