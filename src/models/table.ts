/**
 * What is known of each model, and who says so. A line is a name and facts, `fact=value~FROM!AGAINST`: one letter for
 * each source (`FACT_SOURCES`), behind `!` those that are known to say otherwise. `name@service`: what holds at that service
 * alone. `#` begins a maker, whose newest model stands first; `-` names what was left out on purpose. Money is US dollars
 * for a million tokens: input/cache read/cache write/write for an hour/output. No other file outside of tests and
 * documents names a model, and what rules ask for is packed from here (`scripts/models/pack.ts`).
 */
export const TABLE = `
# Anthropic
claude-fable-5-2 thinking=adaptive~PAE off=no~PAE on=yes~P efforts=low/medium/high/xhigh/max~PA forced=no~PA sampling=never~PA systemInPlace=yes~PE search=yes~PA binds=yes~P structured=yes~PA image=yes~E window=1000000~EG output=128000~AE price=8/0.2/10/16/40~G display=updates~V prefill=no~T screen=computer_toolset_20260801~V fast=yes~V
claude-fable-5-1 thinking=adaptive~PALE off=no~PALE on=yes~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=no~PAL sampling=never~PALC prefill=no~L systemInPlace=yes~PLEC search=yes~PA binds=yes~P structured=yes~PALC cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=10/0.25/12.5/20/50~GL display=updates~V screen=computer_20251124~V
claude-fable-5 thinking=adaptive~PALE off=no~PALE on=yes~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=yes~PA sampling=never~PALC prefill=no~L systemInPlace=yes~PLEC search=yes~PA binds=no~P structured=yes~PALC cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=10/1/12.5/20/50~GL screen=computer_20251124~V
claude-mythos-5-2 thinking=adaptive~P off=no~P on=yes~P efforts=low/medium/high/xhigh/max~P forced=no~P sampling=never~P systemInPlace=yes~P search=yes~P binds=yes~P structured=yes~P window=1000000~G price=8/0.2/10/16/40~G display=updates~V prefill=no~T screen=computer_toolset_20260801~V fast=yes~V
claude-mythos-5-1 thinking=adaptive~PL off=no~PL on=yes~P efforts=low/medium/high/xhigh/max~P forced=no~PL sampling=never~PL prefill=no~L systemInPlace=yes~PLC search=yes~P binds=yes~V!P structured=yes~PL!C cacheMin=512~L image=yes~L pdf=yes~LC window=1000000~L output=128000~L price=10/0.25/12.5/20/50~L display=updates~V screen=computer_20251124~V
claude-mythos-5 thinking=adaptive~PL off=no~PL on=yes~P efforts=low/medium/high/xhigh/max~P forced=yes~P sampling=never~PL prefill=no~L systemInPlace=yes~PLC search=yes~P binds=no~P structured=yes~PL!C cacheMin=512~L image=yes~L pdf=yes~LC window=1000000~L output=128000~L price=10/1/12.5/20/50~L screen=computer_20251124~V
claude-opus-5-5 thinking=adaptive~PALE off=no~PALE on=yes~P efforts=low/medium/high/xhigh/max~PAEC effortDefault=medium~C forced=no~PAL sampling=never~PALEC prefill=no~L systemInPlace=yes~PLEC search=yes~PA binds=yes~P structured=yes~PALC cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=4/0.2/5/8/20~GL display=updates~V screen=computer_toolset_20260801~V fast=yes~V
claude-opus-5 thinking=adaptive~PLE!A off=yes~PA offUpTo=high~PA on=yes~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=yes~PA sampling=never~PALEC prefill=no~L systemInPlace=yes~PLEC search=yes~PA binds=no~P structured=yes~PALC cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=5/0.5/6.25/10/25~GL screen=computer_20251124~V fast=beta~V
claude-opus-4-8 thinking=adaptive~PLE!A off=yes~PA on=no~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=yes~PA sampling=never~PALEC prefill=no~L systemInPlace=yes~PLEC search=yes~PA binds=no~P structured=yes~PALC cacheMin=1024~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=5/0.5/6.25/10/25~GL screen=computer_20251124~V fast=beta~V
claude-opus-4-7 thinking=adaptive~PLE!A off=yes~PA on=no~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=without-thinking~T!PA sampling=never~PALEC prefill=no~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=2048~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=5/0.5/6.25/10/25~GL screen=computer_20251124~V
claude-opus-4-6 thinking=either~PAL!E off=yes~PA on=no~P efforts=low/medium/high/max~PC effortDefault=high~C forced=yes~PA sampling=always~PA prefill=no~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=4096~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=5/0.5/6.25/10/25~GL screen=computer_20251124~V
claude-opus-4-5 thinking=budget~PA off=yes~PA on=no~P efforts=low/medium/high~PC effortDefault=high~C forced=yes~PA sampling=always~PA prefill=yes~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=4096~L image=yes~LEC pdf=yes~LC window=200000~LEGC output=64000~ALEC ends=2027-01-22~S price=5/0.5/6.25/10/25~GL screen=computer_20251124~V budget=1024/128000~V
claude-sonnet-5-5 thinking=adaptive~PALE off=between_tools~PA!LE offUpTo=high~P on=yes~P efforts=low/medium/high/xhigh/max~PAEC effortDefault=high~C forced=no~PAL sampling=never~PALEC prefill=no~L systemInPlace=yes~LECV!P search=yes~PA binds=yes~P structured=yes~PALC cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=2/0.1/2.5/4/10~GL display=updates~V screen=computer_toolset_20260801~V
claude-sonnet-5 thinking=adaptive~PLE!A off=yes~PA on=yes~P efforts=low/medium/high/xhigh/max~PAC effortDefault=high~C forced=yes~PA sampling=never~PALEC prefill=no~L systemInPlace=no~PV!LC search=yes~PA binds=no~P structured=yes~PALC cacheMin=1024~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=2/0.2/2.5/4/10~GL screen=computer_20251124~V
claude-sonnet-4-6 thinking=either~PAL!E off=yes~PA on=no~P efforts=low/medium/high/max~PC effortDefault=high~C forced=yes~PA sampling=always~PA prefill=no~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=1024~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=3/0.3/3.75/6/15~GL screen=computer_20251124~V
claude-sonnet-4-5 thinking=budget~PA off=yes~PA on=no~P efforts=-~PA forced=yes~PA sampling=always~PA prefill=yes~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=1024~L image=yes~LEC pdf=yes~LC window=200000~LEGC output=64000~ALEC ends=2026-11-30~SL price=3/0.3/3.75/6/15~GL above=200000/6/0.6/7.5//22.5~G screen=computer_20250124~V budget=1024/128000~V
claude-haiku-5-5 thinking=adaptive~PALE off=yes~PA offUpTo=high~PA on=yes~P efforts=low/medium/high/xhigh/max~PAE forced=yes~PAL sampling=never~PALEC prefill=no~L systemInPlace=yes~LECV!P search=yes~PA binds=yes~P structured=yes~PAL!C cacheMin=512~L image=yes~LEC pdf=yes~LC window=1000000~LEGC output=128000~ALEC price=0.1/0.01/0.125/0.2/0.5~GL above=100000/0.5/0.05/0.625//2.5~GLE screen=computer_20251124~V
claude-haiku-4-5 thinking=budget~PA off=yes~PA on=no~P efforts=-~PA forced=yes~PA sampling=always~PA prefill=yes~L systemInPlace=no~P search=yes~PA binds=no~P structured=yes~PALC cacheMin=4096~L image=yes~LEC pdf=yes~LC window=200000~LEGC output=64000~ALEC price=1/0.1/1.25/2/5~GL code=20250825~P screen=computer_20250124~V budget=1024/128000~V
claude-opus-4-1 thinking=budget~PA off=yes~PA on=no~P efforts=-~PA forced=yes~PA sampling=always~PA systemInPlace=no~P search=no~PA binds=no~P structured=yes~PA window=200000~G output=32000~A price=15/1.5/18.75/30/75~G code=20250825~P endsAt=clouds-only~S prefill=yes~T screen=computer_20250124~V budget=1024/128000~V
claude-opus-4-0 thinking=budget~PA off=yes~PA on=no~P efforts=-~PA forced=yes~PA sampling=always~PA systemInPlace=no~P search=no~PA binds=no~P structured=no~PA window=200000~G output=32000~A price=15/1.5/18.75/30/75~G endsAt=clouds-only~S prefill=yes~T screen=computer_20250124~V code=20250825~T budget=1024/128000~V
claude-sonnet-4-0 thinking=budget~PA off=yes~PA on=no~P efforts=-~PA forced=yes~PA sampling=always~PA systemInPlace=no~P search=no~PA binds=no~P structured=no~PA window=200000~G output=64000~A price=3/0.3/3.75/6/15~G endsAt=clouds-only~S prefill=yes~T screen=computer_20250124~V code=20250825~T budget=1024/128000~V
claude-3-7-sonnet thinking=budget~T off=yes~T on=no~T efforts=-~T forced=yes~T sampling=always~T prefill=yes~T systemInPlace=no~T search=no~T structured=no~T strict=no~T window=200000~T output=64000~T price=3/0.3/3.75/6/15~G budget=1024/128000~V screen=computer_20250124~V code=20250825~T byHand=yes ends=2026-02-19~T
claude-3-5-sonnet thinking=none~T efforts=-~T forced=yes~T sampling=always~T prefill=yes~T systemInPlace=no~T search=no~T structured=no~T strict=no~T window=200000~T output=8192~T price=3/0.3/3.75/6/15~G code=20250825~T byHand=yes ends=2025-10-28~T
claude-3-5-haiku thinking=none~T efforts=-~T forced=yes~T sampling=always~T prefill=yes~T systemInPlace=no~T search=no~T structured=no~T strict=no~T window=200000~T output=8192~T price=0.8/0.08/1/1.6/4~G code=20250825~T byHand=yes ends=2026-02-19~T
claude-3-opus thinking=none~T efforts=-~T forced=yes~T sampling=always~T prefill=yes~T systemInPlace=no~T search=no~T structured=no~T strict=no~T window=200000~T output=4096~T price=15/1.5/18.75/30/75~G byHand=yes ends=2026-01-05~T
claude-3-haiku thinking=none~T efforts=-~T forced=yes~T sampling=always~T prefill=yes~T systemInPlace=no~T search=no~T structured=no~T strict=no~T window=200000~T output=4096~T price=0.25/0.03/0.3/0.5/1.25~G byHand=yes ends=2026-04-20~T
claude-opus-4 is=claude-opus-4-0~V byHand=yes
claude-sonnet-4 is=claude-sonnet-4-0~V byHand=yes
claude-mythos-preview is=claude-mythos-5~T ends=2026-06-30~S byHand=yes
# OpenAI
gpt-6.2-astra off=no~E efforts=low/medium/high/xhigh/max~E systemInPlace=yes~E search=yes~E marks=yes~E image=yes~E output=128000~E price=8/0.4/10//40~E above=272000/16/0.8/20//60~E thinking=effort~V on=yes~V sampling=never~V window=922000~V chat=yes~V chatTools=never~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6.2-sol off=no~E efforts=low/medium/high/xhigh/max~E systemInPlace=yes~E search=yes~E marks=yes~E image=yes~E output=128000~E price=2/0.1/2.5//10~E above=272000/4/0.2/5//15~E thinking=effort~V on=yes~V sampling=never~V window=922000~V chat=yes~V chatTools=never~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6.1-sol thinking=effort~PA off=no~PALE on=yes~P efforts=low/medium/high/xhigh/max~PALE sampling=never~PAC systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=2/0.1/2.5//10~GLE above=272000/4/0.2/5//15~GLE chatTools=never~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6.1-terra thinking=effort~PA off=yes~PALE on=yes~P efforts=none/low/medium/high/xhigh/max~ALE sampling=without-thinking~PA!C systemInPlace=yes~E search=yes~PLXE marks=yes~PALE chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=1/0.05/1.25//5~GLE above=272000/2/0.1/2.5//7.5~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6-astra thinking=effort~PA off=no~PALE on=yes~P efforts=low/medium/high/xhigh/max~PALEC sampling=never~PAC systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=10/1/12.5//50~GLE above=272000/20/2/25//75~GLE chatTools=never~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6-sol thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh/max~ALEC effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=2/0.2/2.5//10~GLE above=272000/4/0.4/5//15~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6-luna thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh/max~ALEC effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=0.1/0.01/0.125//0.5~GLE above=272000/0.2/0.02/0.25//0.75~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-6-astra-law thinking=effort~P off=no~PL on=yes~P efforts=low/medium/high/xhigh/max~PL sampling=never~P search=yes~PL marks=yes~PL chat=yes~L image=yes~L pdf=yes~L window=922000~L output=128000~L price=10/1///50~L chatTools=never~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-5.6 thinking=effort~PA off=yes~PALC on=yes~P efforts=none/low/medium/high/xhigh/max~AC!L effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~C search=yes~PL marks=yes~PAL chat=yes~L chatTools=without-thinking~A structured=yes~C image=yes~LC pdf=yes~LC window=922000~L output=128000~LC price=4/0.4/5//20~L above=272000/8/0.8/10//30~L outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-5.6-sol thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh/max~AEC!L effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L chatTools=without-thinking~A structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=4/0.4/5//20~GLE above=272000/8/0.8/10//30~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-5.6-terra thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh/max~AEC!L effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L chatTools=without-thinking~A structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=2/0.2/2.5//12~GLE above=272000/4/0.4/5//18~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-5.6-luna thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh/max~AEC!L effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLXE marks=yes~PALE chat=yes~L chatTools=without-thinking~A structured=yes~C image=yes~LXEC pdf=yes~LC window=922000~L output=128000~LEC price=0.2/0.02/0.25//1.2~GLE above=272000/0.4/0.04/0.5//1.8~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V effortUpdates=yes~V stores=yes~V codex=yes~X
gpt-5.5 thinking=effort~PA off=yes~PALEC on=yes~P efforts=none/low/medium/high/xhigh~ALEC effortDefault=medium~C sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PLX marks=no~PA chat=yes~L structured=yes~C image=yes~LXEC pdf=yes~LC window=1050000~LC output=128000~LEC price=5/0.5///30~GLE above=272000/10/1///45~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V stores=yes~V codex=yes~X
gpt-5.5-pro thinking=effort~P off=no~PLE!C on=yes~P efforts=medium/high/xhigh~PE!LC effortDefault=medium~C sampling=never~P systemInPlace=yes~C search=yes~PL marks=no~P chat=no~L structured=yes~C image=yes~LEC pdf=yes~LC window=1050000~LEC output=128000~LEC price=30////180~GLE above=272000/60////270~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V stores=yes~V codex=yes~X
gpt-5.4 thinking=effort~PA off=yes~PALEC on=no~P efforts=none/low/medium/high/xhigh~ALEC effortDefault=none~L sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PL marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=1050000~LGC output=128000~LEC price=2.5/0.25///15~GLE above=272000/5/0.5///22.5~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V stores=yes~V codex=yes~X
gpt-5.4-mini thinking=effort~PA off=yes~PALEC on=no~P efforts=none/low/medium/high/xhigh~ALEC effortDefault=none~L sampling=without-thinking~PA systemInPlace=yes~EC search=yes~PL marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~L output=128000~LEC price=0.75/0.075///4.5~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V stores=yes~V codex=yes~X
gpt-5.4-nano thinking=effort~PA off=yes~PALEC on=no~P efforts=none/low/medium/high/xhigh~ALEC effortDefault=none~L sampling=without-thinking~PA systemInPlace=yes~C search=no~PV marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~L output=128000~LEC ends=2027-04-01~L price=0.2/0.02///1.25~GLE chatTools=without-thinking~V outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5.4-pro thinking=effort~PA off=no~PLE!C on=yes~P efforts=medium/high/xhigh~PE!LC sampling=never~P!A systemInPlace=yes~EC search=yes~PL marks=no~PA chat=no~L structured=no~C image=yes~LEC pdf=yes~LC window=1050000~LEGC output=128000~LEC price=30////180~GLE above=272000/60////270~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T screen=computer~V stores=yes~V codex=yes~X
gpt-5.3-codex thinking=effort~P off=yes~PLEC on=no~P efforts=none/low/medium/high/xhigh~LEC sampling=without-thinking~P systemInPlace=yes~C search=no~P!L marks=no~P chat=no~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~L output=128000~LEC ends=2027-04-01~L price=1.75/0.175///14~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5.3-codex-spark thinking=effort~P off=no~E!PC on=no~P efforts=low/medium/high/xhigh~E!C sampling=without-thinking~P systemInPlace=yes~C search=no~P marks=no~P structured=yes~C image=yes~EC pdf=yes~C window=128000~EC output=32000~EC price=1.75/0.175///14~E outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T chat=no~V stores=yes~V codex=yes~X
gpt-5.2 thinking=effort~PA off=yes~PALEC on=no~P efforts=none/low/medium/high/xhigh~ALEC effortDefault=none~L sampling=without-thinking~PA systemInPlace=yes~C search=no~P!L marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC price=1.75/0.175///14~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5.2-pro thinking=effort~PA off=no~PLE!C on=yes~P efforts=medium/high/xhigh~PE!LC sampling=never~P!A systemInPlace=yes~C search=no~P marks=no~PA chat=no~L structured=no~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC price=21////168~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5.1 thinking=effort~PA off=yes~PALEC on=no~P efforts=none/low/medium/high~ALEC effortDefault=none~L sampling=without-thinking~PA systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC ends=2027-04-01~L price=1.25/0.125///10~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5 thinking=effort~PA off=no~PALE on=yes~P efforts=minimal/low/medium/high~PALEC sampling=never~PAC systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC ends=2026-12-11~L price=1.25/0.125///10~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5-mini thinking=effort~PA off=no~PALE on=yes~P efforts=minimal/low/medium/high~PALEC sampling=never~PAC systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC ends=2026-12-11~L price=0.25/0.025///2~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5-nano thinking=effort~PA off=no~PALE on=yes~P efforts=minimal/low/medium/high~PALEC sampling=never~PAC systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=272000~LC output=128000~LEC ends=2026-12-11~L price=0.05/0.005///0.4~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
gpt-5-pro thinking=effort~PA off=no~PLE!C on=yes~P efforts=high~PE!LC sampling=never~PA systemInPlace=yes~C search=no~P marks=no~PA chat=no~L structured=yes~C image=yes~LEC pdf=yes~LC window=400000~LEG output=272000~LC!E ends=2026-12-11~L price=15////120~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V codex=yes~X
o3 thinking=effort~P off=no~PE on=yes~P efforts=low/medium/high~PE sampling=never~PC systemInPlace=yes~C search=no~P marks=no~P chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=200000~LEGC output=100000~LEC ends=2026-12-11~L price=2/0.5///8~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V verbosity=no~V
o3-pro thinking=effort~P off=no~PE on=yes~P efforts=low/medium/high~PE sampling=never~PC systemInPlace=yes~C search=no~P marks=no~P chat=no~L structured=yes~C image=yes~LEC pdf=yes~LC window=200000~LEGC output=100000~LEC ends=2026-12-11~L price=20////80~GLE outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V verbosity=no~V
gpt-4.1 thinking=none~PAEC sampling=always~PA systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=1047576~LEC output=32768~LEC ends=2027-01-14~SL price=2/0.5///8~GLE stores=yes~V verbosity=no~V
gpt-4.1-mini thinking=none~PAEC sampling=always~PA systemInPlace=yes~C search=no~P marks=no~PA chat=yes~L structured=yes~C image=yes~LEC pdf=yes~LC window=1047576~LEC output=32768~LEC ends=2027-01-14~SL price=0.4/0.1///1.6~GLE stores=yes~V verbosity=no~V
gpt-4o thinking=none~PAEC sampling=always~PA search=no~P marks=no~PA structured=yes~C image=yes~LEC pdf=yes~LC window=128000~LEGC output=16384~LEC ends=2027-01-14~SL price=2.5/1.25///10~GLE stores=yes~V verbosity=no~V
gpt-4o-mini thinking=none~PAEC sampling=always~PA search=no~P marks=no~PA structured=yes~C image=yes~LEC pdf=yes~LC window=128000~LEGC output=16384~LEC ends=2027-01-14~SL price=0.15/0.075///0.6~GLE stores=yes~V verbosity=no~V
chat-latest efforts=medium~L chat=yes~L image=yes~LE pdf=yes~L window=400000~LE output=128000~LE price=5/0.5///30~LE thinking=effort~T off=no~T on=yes~T sampling=never~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V marks=no~V stores=yes~V verbosity=no~V
gpt-5-search-api thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T webSearch=yes~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V verbosity=yes~V lateTools=yes~T stores=yes~V price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-4o-search-preview thinking=none~T sampling=never~T webSearch=yes~T marks=no~T price=2.5////10~G stores=yes~V verbosity=no~V byHand=yes
gpt-4o-mini-search-preview thinking=none~T sampling=never~T webSearch=yes~T marks=no~T price=0.15////0.6~G stores=yes~V verbosity=no~V byHand=yes
codex-mini-latest thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T chat=no~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-02-12~S verbosity=no~V codex=yes~X byHand=yes
chatgpt-4o-latest thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-02-17~S price=5////15~G verbosity=no~V byHand=yes
gpt-4-0125-preview thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-03-26~S verbosity=no~V byHand=yes
gpt-4-0314 thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-03-26~S verbosity=no~V byHand=yes
gpt-4-turbo-preview thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-03-26~S verbosity=no~V byHand=yes
gpt-5-chat-latest thinking=none~T sampling=always~T search=no~T marks=no~T verbosity=no~T outputWord=max_completion_tokens~T lateTools=yes~T stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5-chat thinking=none~T sampling=always~T search=no~T marks=no~T verbosity=no~T outputWord=max_completion_tokens~T lateTools=yes~T stores=yes~V ends=2026-07-23~S next=gpt-5.2-chat-latest~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5-codex thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T chat=no~T verbosity=yes~V lateTools=yes~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5.1-chat-latest thinking=none~T sampling=always~T search=no~T marks=no~T verbosity=no~T outputWord=max_completion_tokens~T lateTools=yes~T stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5.1-codex-max thinking=effort~T off=yes~T on=yes~T efforts=none/low/medium/high/xhigh~T sampling=without-thinking~T search=no~T marks=no~T chat=no~T verbosity=yes~V lateTools=yes~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5.1-codex-mini thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T chat=no~T verbosity=yes~V lateTools=yes~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-07-23~S next=gpt-5.6-terra~L price=0.25/0.025///2~G codex=yes~X byHand=yes
gpt-5.1-codex thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T chat=no~T verbosity=yes~V lateTools=yes~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.25/0.125///10~G codex=yes~X byHand=yes
gpt-5.2-codex thinking=effort~T off=no~T on=yes~T efforts=low/medium/high/xhigh~T sampling=never~T search=no~T marks=no~T chat=no~T verbosity=yes~V lateTools=yes~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-07-23~S next=gpt-5.6-sol~L price=1.75/0.175///14~G codex=yes~X byHand=yes
gpt-5.2-chat-latest thinking=none~T sampling=always~T search=no~T marks=no~T verbosity=no~T outputWord=max_completion_tokens~T lateTools=yes~T stores=yes~V ends=2026-08-10~S next=gpt-5.6-sol~L price=1.75/0.175///14~G codex=yes~X byHand=yes
gpt-5.3-chat-latest thinking=none~T sampling=always~T search=no~T marks=no~T verbosity=no~T outputWord=max_completion_tokens~T lateTools=yes~T stores=yes~V ends=2026-08-10~S next=gpt-5.6-sol~L price=1.75/0.175///14~G codex=yes~X byHand=yes
gpt-3.5-turbo-1106 thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-09-28~S next=gpt-5.6-terra~L verbosity=no~V byHand=yes
gpt-3.5-turbo thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-terra~L price=0.5////1.5~G verbosity=no~V byHand=yes
gpt-4-0613 thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L verbosity=no~V byHand=yes
gpt-4-1106-preview thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L verbosity=no~V byHand=yes
gpt-4-turbo thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=10////30~G verbosity=no~V byHand=yes
gpt-4.1-nano thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-luna~L price=0.1/0.025///0.4~G verbosity=no~V byHand=yes
gpt-4o-2024-05-13 thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=5////15~G verbosity=no~V byHand=yes
gpt-4 thinking=none~T sampling=always~T search=no~T marks=no~T stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=30////60~G verbosity=no~V byHand=yes
o1-pro thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=150////600~G verbosity=no~V byHand=yes
o1 thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=15/7.5///60~G verbosity=no~V byHand=yes
o3-mini thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-10-23~S next=gpt-5.6-sol~L price=1.1/0.55///4.4~G verbosity=no~V byHand=yes
o4-mini thinking=effort~T off=no~T on=yes~T efforts=low/medium/high~T sampling=never~T search=no~T marks=no~T outputWord=max_completion_tokens~V stops=no~V penalties=no~V role=developer~V stores=yes~V ends=2026-10-23~S next=gpt-5.6-terra~L price=1.1/0.275///4.4~G verbosity=no~V byHand=yes
# Google
gemini-4-neon off=no~E efforts=low/medium/high/xhigh~E image=yes~E window=1048576~E output=65536~E price=3/0.15///15~E sampling=ignored~V penalties=no~T n=1~T prefill=no~T effortDefault=high~V thinking=level~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-4-hydrogen thinking=level~A off=no~E efforts=low/medium/high/xhigh~AE cacheMin=4096~L image=yes~ALE pdf=yes~L audio=yes~L video=yes~L window=1048576~LE output=65536~V!LEC price=1.5/0.075///7.5~LE sampling=ignored~V penalties=no~T n=1~T prefill=no~T effortDefault=high~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-4-argon thinking=level~PA off=no~E efforts=low/medium/high~PEC!A effortDefault=medium~C structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEGC output=65536~V!LEC price=2/0.1///10~GLE priceFrom=2026-12-01/4/0.2///20~G sampling=ignored~V penalties=no~T n=1~T prefill=no~T mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-4-carbon thinking=level~PA off=no~E efforts=low/medium/high~PE!A image=yes~AE window=1048576~E output=32768~E price=2/0.1///10~E sampling=ignored~V penalties=no~T n=1~T prefill=no~T mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.8-flash thinking=level~PA off=no~E efforts=low/medium/high~PAE sampling=ignored~V!L structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.75/0.075///3.75~GLE priceFrom=2027-01-01/1.5/0.15///7.5~G mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.7-flash thinking=level~PA off=no~E efforts=low/medium/high~PAE sampling=ignored~V!L structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.75/0.075///3.75~GLE priceFrom=2027-01-01/1.5/0.15///7.5~G mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.6-flash thinking=level~A off=no~E efforts=minimal/low/medium/high~AEC effortDefault=medium~C sampling=ignored~V!L structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.75/0.075///3.75~GLE priceFrom=2027-01-01/1.5/0.15///7.5~G mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.5-flash thinking=level~A off=no~E efforts=minimal/low/medium/high~AEC effortDefault=medium~C structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=1.5/0.15///9~GLE mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.5-flash-lite thinking=level~A off=no~E efforts=minimal/low/medium/high~AEC effortDefault=minimal~C sampling=ignored~V!L structured=yes~C image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.3/0.03///2.5~GLE mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.1-pro-preview thinking=level~PA off=no~E efforts=low/medium/high~PAEC effortDefault=high~C structured=yes~C cacheMin=4096~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=2/0.2///12~GLE above=200000/4/0.4///18~GLE mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3.1-flash-lite off=no~E efforts=minimal/low/medium/high~EC effortDefault=minimal~C structured=yes~C image=yes~LEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC ends=2027-05-07~L price=0.25/0.025///1.5~GLE thinking=level~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-3-flash-preview thinking=level~A off=no~E efforts=minimal/low/medium/high~AEC effortDefault=high~C structured=yes~C image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~C window=1048576~LEC output=65536~LEC price=0.5/0.05///3~GLE mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-2.5-pro thinking=budget~A off=no~A budget=128/32768~A structured=yes~C cacheMin=2048~L image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC ends=2026-12-01~L price=1.25/0.125///10~GLE above=200000/2.5/0.25///15~GLE mixes=no~V next=gemini-3.8-flash~L reroutes=yes~T stores=yes~T screen=older~V
gemini-2.5-flash thinking=budget~A off=yes~A budget=0/24576~A structured=yes~C image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~C window=1048576~LEGC output=65536~LEC ends=2026-12-01~L price=0.3/0.03///2.5~GLE mixes=no~V next=gemini-3.5-flash-lite~L reroutes=yes~T stores=yes~T screen=older~V
gemini-2.5-flash-lite thinking=budget~A off=yes~A budget=0/24576~A structured=yes~C image=yes~ALEC pdf=yes~LC audio=yes~LC video=yes~C window=1048576~LEC output=65536~LEC price=0.1/0.01///0.4~GLE mixes=no~V stores=yes~T screen=older~V
gemini-pro-latest off=no~E efforts=low/medium/high~E structured=yes~C cacheMin=4096~L image=yes~LEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=2/0.2///12~LE above=200000/4/0.4///18~LE thinking=level~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-flash-latest off=no~E efforts=low/medium/high~A!LEC structured=yes~C cacheMin=4096~L image=yes~LEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.75/0.075///3.75~L!E is=gemini-3.8-flash~GA thinking=level~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemini-flash-lite-latest off=no~E efforts=minimal/low/medium/high~E structured=yes~C image=yes~LEC pdf=yes~LC audio=yes~LC video=yes~LC window=1048576~LEC output=65536~LEC price=0.3/0.03///2.5~L!E thinking=level~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V stores=yes~T
gemma-4-31b-it efforts=-~T!E structured=yes~C image=yes~LEC pdf=yes~C window=262144~LEGC output=32768~LEC price=0////0~L thinking=none~T role=user~T
gemma-4-26b-a4b-it efforts=-~T!E structured=yes~C image=yes~LEC pdf=yes~C window=262144~LEGC output=32768~LEC price=0////0~L thinking=none~T role=user~T
gemini-2.5-computer-use thinking=budget~V budget=128/32768~V off=no~V mixes=no~V image=yes~V screen=older~V stores=yes~T byHand=yes
gemini-2.5-flash-image thinking=none~V efforts=-~V sampling=always~V image=yes~V mixes=no~V stores=yes~T screen=older~V byHand=yes
gemini-3-pro thinking=level~V off=no~V efforts=low/high~V mixes=yes~V mediaLevels=yes~V structuredWithTools=yes~V image=yes~V pdf=yes~V audio=yes~V video=yes~V window=1048576~V output=65536~V price=2/0.2///12~G above=200000/4/0.4///18~G stores=yes~T byHand=yes
gemini-2.0-flash thinking=none~V efforts=-~V sampling=always~V image=yes~V mixes=no~V price=0.1/0.025///0.4~G stores=yes~T byHand=yes ends=2026-02-03~T screen=older~V
gemini-2.0-flash-lite thinking=none~V efforts=-~V sampling=always~V image=yes~V mixes=no~V price=0.075////0.3~G stores=yes~T byHand=yes ends=2026-02-03~T screen=older~V
gemini-3.1-flash-lite-preview is=gemini-3.1-flash-lite~T ends=2026-05-25~L next=gemini-3.1-flash-lite~L byHand=yes
# DeepSeek (as its own service serves them)
deepseek-v4-pro efforts=low/high/max~PA!E systemInPlace=yes~E structured=yes~C image=no~LEC window=1000000~LEGC output=393216~L price=0.66/0.022///1.98~G!LE off=yes~PA on=yes~PA forced=without-thinking~P sampling=ignored-while-thinking~A replay=with-tools~P!E chatSchema=no~P role=system~T
deepseek-v4-flash structured=yes~C image=yes~LC window=1000000~LGC output=393216~L price=0.15/0.003///0.6~G!L off=yes~PA on=yes~PA efforts=low/high/max~PA!E forced=without-thinking~P sampling=ignored-while-thinking~A replay=with-tools~P!E chatSchema=no~P role=system~T
deepseek-flash efforts=low/high/max~PA!E structured=yes~C image=yes~LEC window=1000000~LEGC output=393216~L price=0.15/0.003///0.6~G!LE off=yes~PA on=yes~PA forced=without-thinking~P sampling=ignored-while-thinking~A replay=with-tools~P!E chatSchema=no~P role=system~T
deepseek-v4-flash-vision-exp structured=yes~C image=yes~LC window=1000000~LC output=393216~L price=0.3/0.006///1.2~L off=yes~PA on=yes~PA efforts=low/high/max~PA!E forced=without-thinking~P sampling=ignored-while-thinking~A replay=with-tools~P!E chatSchema=no~P role=system~T
deepseek-chat is=deepseek-v4-flash~T ends=2026-07-24~L byHand=yes
deepseek-reasoner is=deepseek-v4-flash~T ends=2026-07-24~L byHand=yes
# Moonshot
kimi-k3.1-pro off=no~E efforts=low/high/max~LE systemInPlace=yes~E image=yes~LE window=1048576~LEG output=1048576~LE price=2/0.2/2/4/10~GL thinkingWord=no~A temperature=1~T forced=yes~A!P penalties=no~T n=1~T effortDefault=max~T strict=no~E
kimi-k3.1-pro-highspeed off=no~E efforts=low/high/max~LE systemInPlace=yes~E image=yes~LE window=1048576~LEG output=1048576~LE price=4/0.2/4/8/20~GL thinkingWord=no~A temperature=1~T forced=yes~A!P penalties=no~T n=1~T effortDefault=max~T strict=no~E
kimi-k3 off=no~E efforts=low/high/max~LE systemInPlace=yes~E image=yes~LE video=yes~L window=1048576~LEG output=1048576~LE price=3/0.3/3/6/15~GL thinkingWord=no~A temperature=1~T forced=yes~A!P penalties=no~T n=1~T effortDefault=max~T strict=no~E
kimi-k2.7-code off=no~E systemInPlace=yes~E image=yes~LE video=yes~L window=262144~LEG output=262144~LE price=0.95/0.19///4~GLE efforts=-~A forced=named~A!P temperature=1~T ends=2026-12-31~T
kimi-k2.7-code-highspeed off=no~E systemInPlace=yes~E image=yes~E window=262144~EG output=262144~E price=1.9/0.38///8~GE efforts=-~A forced=named~A!P temperature=1~T ends=2026-12-31~T
kimi-k2.6 systemInPlace=yes~E image=yes~LE video=yes~L window=262144~LEG output=262144~LE price=0.95/0.16///4~GLE off=yes~AP on=yes~P efforts=-~A forced=named~A!P temperature=1~T temperatureOff=0.6~T ends=2026-12-31~T
kimi-k2.5 is=kimi-k2.6~T ends=2026-08-31~L byHand=yes
moonshot-v1-128k thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-128k-vision-preview thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-32k thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-32k-vision-preview thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-8k thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-8k-vision-preview thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
moonshot-v1-auto thinking=none~T efforts=-~T ends=2026-08-31~L byHand=yes
# Qwen
qwen4-max-preview off=no~E efforts=low/medium/xhigh~E image=yes~E window=1000000~E output=393216~E
qwen3.8-max off=no~E!T efforts=low/medium/xhigh~E image=yes~LE window=991808~L output=131072~LE price=2/0.25///6~L on=yes~T effortDefault=xhigh~T forced=without-thinking~T
qwen3.8-flash off=no~E!T efforts=low/medium/xhigh~E image=yes~LE video=yes~L window=991808~L output=131072~LE price=0.15/0.016/0.2//0.47~L on=yes~T effortDefault=xhigh~T forced=without-thinking~T
qwen3.7-max image=no~E window=991808~L output=65536~L!E price=2.5/0.5/3.125//7.5~L
qwen3.7-plus image=yes~LE window=991808~L output=65536~LE
qwen3.6-plus image=yes~E window=1000000~E output=65536~E
qwen3.6-flash image=yes~E window=1000000~E output=65536~E
qwen3.5-plus image=yes~L window=991808~L output=65536~L
qwen3-max window=258048~L output=65536~L
qwen3-coder-plus window=997952~L output=65536~L
qwen3-coder-flash window=997952~L output=65536~L
# Z.AI
glm-5.3 off=no~E efforts=low/high/max~E image=no~E window=1000000~LE output=128000~L price=1.4/0.26///4.4~LE effortDefault=max~AT
glm-5.3-flash off=no~E efforts=low/high/max~E image=yes~LE window=1048576~L output=128000~L price=0.15/0.03///0.5~LE effortDefault=max~AT
glm-5.2 off=yes~EP!T efforts=none/high/max~E image=no~E window=1000000~LE output=128000~L price=1.4/0.26///4.4~LE
glm-5.1 window=200000~L output=128000~L price=1.4/0.26///4.4~L
glm-5 window=200000~L output=128000~L price=1/0.2///3.2~L
glm-5-turbo image=no~E window=200000~E output=131072~E price=1.2/0.24///4~E
glm-5v-turbo image=yes~L window=200000~L output=128000~L price=1.2/0.24///4~L
glm-4.7 image=no~E window=200000~L output=128000~L price=0.6/0.11///2.2~LE
glm-4.6 window=200000~L output=128000~L price=0.6/0.11///2.2~L
# Mistral
mistral-large-4 off=no~E efforts=low/medium/high~AE!L image=yes~LE window=1048576~LEG output=262144~E!L price=0.7/0.07///2.1~GLE
mistral-large-2512 thinking=none~EC image=yes~LEC window=262144~LEGC output=262144~LEC ends=2027-04-30~L price=0.5/0.05///1.5~GLE
mistral-large-latest thinking=none~AC efforts=-~A!E image=yes~ALEC window=262144~LC!E output=262144~LEC price=0.5/0.05///1.5~L!E
mistral-medium-3-5 efforts=none/high~L image=yes~L window=262144~LG output=262144~L ends=2027-04-30~L price=1.5/0.15///7.5~GL
mistral-medium-latest thinking=effort~A off=yes~AE efforts=none/high~ALE structured=yes~C image=yes~ALEC window=262144~LEC output=262144~LEC price=1.5/0.15///7.5~GLE
mistral-small-2603 off=yes~E efforts=none/high~LE image=yes~LEC window=262144~LEG output=262144~L price=0.15/0.015///0.6~GLE
mistral-small-latest thinking=effort~A off=yes~AE efforts=none/high~ALE image=yes~ALEC window=262144~LE output=262144~L price=0.15/0.015///0.6~GLE
magistral-medium-latest thinking=effort~A off=yes~AE efforts=none/high~AE image=yes~ALE!C window=262144~LE!C output=262144~L!EC price=1.5/0.15///7.5~L!E
magistral-small-latest thinking=effort~A off=yes~A efforts=none/high~A image=yes~AL window=262144~L output=262144~L price=0.15/0.015///0.6~L
devstral-latest thinking=none~EC efforts=none/high~L image=no~EC window=256000~L output=256000~L price=0.4/0.04///2~LE
codestral-latest thinking=none~EC image=no~EC window=128000~L output=128000~L!EC price=0.3/0.03///0.9~LE
ministral-14b-latest thinking=none~A efforts=-~A image=yes~AL window=262144~L output=262144~L price=0.2/0.02///0.2~L
ministral-8b-latest thinking=none~AEC efforts=-~A image=yes~ALE!C window=262144~LE!C output=262144~L!EC price=0.15/0.015///0.15~GLE
ministral-3b-latest thinking=none~EC image=yes~LE!C window=131072~LE output=131072~L price=0.1/0.01///0.1~LE
labs-leanstral-1-5 ends=2026-09-30~L byHand=yes
# xAI
grok-4.7 thinking=effort~P off=no~PE efforts=low/medium/high/xhigh~EV!P image=yes~LE window=500000~LEG output=500000~LE price=2/0.5///6~GLE above=199999/4/1///12~G batch=0.8~L stops=no~T penalties=no~T
grok-4.6 thinking=effort~P off=no~PE efforts=low/medium/high/xhigh~AEV!P image=yes~LE window=500000~LEG output=500000~LE price=2/0.5///6~GLE above=199999/4/1///12~G stops=no~T penalties=no~T
grok-4.5 thinking=effort~P off=no~PE efforts=low/medium/high~P!E structured=yes~C image=yes~LEC pdf=yes~C window=500000~LEGC output=500000~LEC price=2/0.3///6~GLE above=199999/4/0.6///12~G stops=no~T penalties=no~T
grok-4.3 thinking=effort~P off=yes~PEC efforts=none/low/medium/high~PC!E effortDefault=low~C structured=yes~C image=yes~LEC pdf=yes~C window=1000000~LEGC output=1000000~L!EC price=1.25/0.2///2.5~GLE above=199999/2.5/0.4///5~G batch=0.8~GL stops=no~T penalties=no~T
grok-build-latest thinking=effort~P off=no~P efforts=low/medium/high~P image=yes~L window=500000~L output=500000~L price=2/0.3///6~L above=200000/4/0.6///12~L stops=no~T penalties=no~T
grok-build-0.1 structured=yes~C image=yes~LC pdf=yes~C window=256000~LGC output=256000~LC price=1/0.2///2~GL above=199999/2/0.4///4~G stops=no~T penalties=no~T
grok-latest is=grok-4.3~T byHand=yes
grok-4.20-multi-agent forced=no~L image=yes~L window=1000000~L output=1000000~L price=1.25/0.2///2.5~L above=200000/2.5/0.4///5~L batch=0.8~L efforts=low/medium/high/xhigh~V stops=no~T penalties=no~T
grok-4.20-0309-reasoning structured=yes~C image=yes~LC pdf=yes~C window=1000000~LC output=1000000~L!C price=1.25/0.2///2.5~L above=200000/2.5/0.4///5~L batch=0.8~L thinking=always~A efforts=-~AT off=no~A stops=no~T penalties=no~T
grok-4.20-0309-non-reasoning thinking=none~C structured=yes~C image=yes~LC pdf=yes~C window=1000000~LC output=1000000~L!C price=1.25/0.2///2.5~L above=200000/2.5/0.4///5~L batch=0.8~L
grok-code-fast-1 thinking=always~T efforts=-~T off=no~T stops=no~T penalties=no~T ends=2026-05-15~L next=grok-build-0.1~L byHand=yes
# MiniMax
MiniMax-M3.1-Flash thinking=adaptive~E off=no~E efforts=low/medium/high/xhigh/max~E image=yes~E window=1000000~EG output=524288~E price=0.15/0.015///0.6~GE
MiniMax-M3 image=yes~LE window=1000000~LE output=128000~L!E price=0.3/0.06///1.2~LE above=512000/0.6/0.12///2.4~LE
MiniMax-M2.7 image=no~E window=204800~EG output=131072~E price=0.3/0.06/0.375//1.2~GE
MiniMax-M2.7-highspeed image=no~E window=204800~EG output=131072~E price=0.6/0.06/0.375//2.4~GE
MiniMax-M2.5 window=1000000~L output=8192~L price=0.3/0.03/0.375//1.2~L
# gpt-oss (any server; harmony format)
gpt-oss-120b thinking=effort~V off=no~V efforts=low/medium/high~V effortDefault=medium~V forced=no~P image=no~V window=131072~V codex=yes~X byHand=yes
gpt-oss-20b thinking=effort~V off=no~V efforts=low/medium/high~V effortDefault=medium~V forced=no~P image=no~V window=131072~V codex=yes~X byHand=yes
# What other services take of the same models
claude-opus-4-7@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-opus-4-8@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-sonnet-5@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-sonnet-5-5@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-fable-5@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-fable-5-1@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-fable-5-2@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-mythos-5@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-mythos-5-1@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-mythos-5-2@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-haiku-5-5@bedrock structured=no~AL strict=no~AL efforts=low/medium/high/xhigh~L byHand=yes
claude-opus-5@bedrock structured=no~AL strict=no~AL byHand=yes
claude-opus-5-5@bedrock structured=no~AL strict=no~AL byHand=yes
claude-opus-4-5@bedrock efforts=high~L byHand=yes
claude-sonnet-4-6@bedrock output=64000~L byHand=yes
claude-opus-4-5@vertex strict=no~A byHand=yes
claude-opus-4-6@vertex strict=no~A byHand=yes
claude-opus-4-7@vertex strict=no~A byHand=yes
claude-opus-4-8@vertex strict=no~A byHand=yes
claude-opus-5@vertex strict=no~A byHand=yes
claude-opus-5-5@vertex strict=no~A byHand=yes
claude-sonnet-4-5@vertex strict=no~A byHand=yes
claude-sonnet-4-6@vertex strict=no~A byHand=yes
claude-sonnet-5@vertex strict=no~A byHand=yes
claude-sonnet-5-5@vertex strict=no~A byHand=yes
claude-haiku-4-5@vertex strict=no~A byHand=yes
claude-haiku-5-5@vertex strict=no~A byHand=yes
claude-fable-5@vertex strict=no~A byHand=yes
claude-fable-5-1@vertex strict=no~A byHand=yes
claude-fable-5-2@vertex strict=no~A byHand=yes
gemini-4-argon@vertex cacheMin=6144~L byHand=yes
gemini-3.1-pro-preview@vertex off=yes~P byHand=yes
claude-fable-5@azure efforts=low/medium/high/xhigh~L byHand=yes
claude-fable-5-1@azure efforts=low/medium/high/xhigh~L byHand=yes
claude-mythos-5-1@azure efforts=low/medium/high/xhigh~L byHand=yes
gpt-6-astra@azure efforts=low/medium/high/xhigh~L byHand=yes
gpt-6.1-terra@azure efforts=low/medium/high/xhigh/max~L off=no~L byHand=yes
# left out on purpose
- claude-3* gpt-5.1-mini gpt-5.3 gpt-5.2-chat* gpt-5.3-chat* gpt-6.2-astra-law codex-auto-review ft:* gemini-1* gemini-2.0* gemini-exp* gemini-3-pro-preview
- gemini-3.1-pro-preview-customtools gemini-3.1-flash-lite-preview gemini-2.5-flash-lite-preview* gemma-3* deepseek-coder deepseek-chat deepseek-reasoner deepseek-r1
- deepseek-v3* deepseek-v4-1* deepseek-v4.1* kimi-k2.5 moonshot-* qwen-* qwq* qwen3-[vn]* qwen3-30b* qwen3-max-preview qwen3-next* qwen3-vl* glm-4-* glm-4.5* glm-4.7-*
- glm-5-2 glm-5-code glm-5.2-* glm-5.3-high* zai-* mistral-large-3 mistral-large-4-0* mistral-large-24* mistral-medium mistral-medium-25* mistral-medium-26*
- mistral-medium-3 mistral-medium-3.5 mistral-small mistral-small-2506 mistral-tiny mistral-nemo mistral-code* mistral-vibe* magistral-small codestral-2508
- codestral-mamba* devstral-* ministral-* open-* pixtral* labs-* grok-4.20 grok-4.20-0309 grok-4.20-beta* grok-4.20-exp* grok-4.20-multi-agent-* grok-4.20-non*
- grok-4.20-reason* grok-4.3-latest grok-4.5-latest grok-code* MiniMax-M2 MiniMax-M2.1* MiniMax-M2.5-l*
`

/** Where facts are from, and of which day they are. */
export const FACT_SOURCES: Readonly<Record<string, { name: string; day: string }>> = {
  S: {
    name: 'the vendor’s own library (anthropic 1.14.0, openai 7.59.0, genai 3.3.0)',
    day: '2026-11-24',
  },
  P: { name: 'pydantic-ai-slim 2.68.0', day: '2026-11-28' },
  A: { name: 'AI SDK 4.0.105 to 121', day: '2026-11-13' },
  L: { name: 'litellm 1.110.2', day: '2026-11-28' },
  X: { name: 'the catalogue of Codex 0.166.0', day: '2026-11-28' },
  E: { name: 'pi-ai 1.6.0', day: '2026-11-20' },
  G: { name: 'genai-prices 0.2.3', day: '2026-11-28' },
  C: { name: 'the profiles of LangChain (models.dev)', day: '2026-11-28' },
  V: { name: 'the vendor’s page', day: '2026-11-28' },
  T: { name: 'reports of users', day: '2026-11-28' },
}

/** A fact as the table has it, with the letters of those who say so, and of those who say otherwise. */
export interface Statement {
  value: string
  from: string
  against: string
}

/** A line of the table: a model, perhaps at one service alone, and its facts by their short names. */
export interface Line {
  name: string
  service?: string
  maker: string
  facts: ReadonlyMap<string, Statement>
}

/** The lines of the table in their order. */
export function linesOf(table: string): Line[] {
  let maker = ''
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('#')) maker = line.slice(1).trim()
    if (line === '' || /^[#-]/.test(line)) return []
    const [names = '', ...words] = line.split(' ')
    const [name = '', service] = names.split('@')
    const facts = new Map(words.map(statementIn))
    return [{ name, ...(service !== undefined && { service }), maker, facts }]
  })
}

function statementIn(word: string): [string, Statement] {
  const [, fact = '', value = '', from = '', against = ''] =
    /^([^=]+)=([^~]*)(?:~([^!]*)(?:!(.*))?)?$/.exec(word) ?? []
  return [fact, { value, from, against }]
}

/** The short names of the table, as a configuration has them. */
export const SPELLED: Readonly<Record<string, string>> = {
  forced: 'forcedChoice',
  off: 'thinkingOff',
  marks: 'cacheBreakpoints',
  search: 'deferredTools',
  window: 'contextWindow',
  output: 'maxOutputTokens',
  stores: 'storesByDefault',
  mixes: 'mixesTools',
}
