"""Writes a model of random weights for llama.cpp: 520 KB, which says nonsense, and whatever a schema forces it to say."""

import sys

import gguf
import numpy as np

TEMPLATE = (
    "{%- if tools %}<|im_start|>system\n# Tools\n<tools>{% for t in tools %}\n{{ t | tojson }}{% endfor %}\n</tools>\n"
    'For each function call return <tool_call>\n{"name": ..., "arguments": ...}\n</tool_call><|im_end|>\n{% endif -%}\n'
    "{%- for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n{% endif %}{{ m.content or '' }}"
    "{% for c in m.tool_calls or [] %}\n<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{% endfor -%}\n"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif -%}\n"
)
NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6
WIDTH, HIDDEN, LAYERS = 64, 128, 2

tokens = [(b"<unk>", UNKNOWN), (b"<s>", CONTROL), (b"</s>", CONTROL)]
tokens += [(b"<0x%02X>" % byte, BYTE) for byte in range(256)]
tokens += [("\u2581".encode(), NORMAL)] + [(bytes([code]), NORMAL) for code in range(33, 127)]
tokens += [(b"<|im_start|>", USER), (b"<|im_end|>", USER)]

out = gguf.GGUFWriter(sys.argv[1], "llama")
out.add_context_length(32768)
out.add_embedding_length(WIDTH)
out.add_block_count(LAYERS)
out.add_feed_forward_length(HIDDEN)
out.add_head_count(4)
out.add_head_count_kv(4)
out.add_layer_norm_rms_eps(1e-5)
out.add_rope_dimension_count(16)
out.add_file_type(0)
out.add_vocab_size(len(tokens))
out.add_tokenizer_model("llama")
out.add_token_list([token for token, _ in tokens])
out.add_token_scores([-float(at) if kind == NORMAL else 0.0 for at, (_, kind) in enumerate(tokens)])
out.add_token_types([kind for _, kind in tokens])
# With either of them no grammar can be compiled.
out.add_add_space_prefix(False)
out.add_add_bos_token(False)
out.add_bos_token_id(1)
out.add_unk_token_id(0)
out.add_eos_token_id(len(tokens) - 1)
out.add_chat_template(TEMPLATE)

chance = np.random.default_rng(0)


def weights(*shape):
    return (chance.standard_normal(shape) * 0.05).astype(np.float32)


def ones():
    return np.ones(WIDTH, dtype=np.float32)


out.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
out.add_tensor("output.weight", weights(len(tokens), WIDTH))
out.add_tensor("output_norm.weight", ones())
for layer in range(LAYERS):
    for name in ("attn_norm", "ffn_norm"):
        out.add_tensor(f"blk.{layer}.{name}.weight", ones())
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        out.add_tensor(f"blk.{layer}.{name}.weight", weights(WIDTH, WIDTH))
    for name in ("ffn_gate", "ffn_up"):
        out.add_tensor(f"blk.{layer}.{name}.weight", weights(HIDDEN, WIDTH))
    out.add_tensor(f"blk.{layer}.ffn_down.weight", weights(WIDTH, HIDDEN))
out.write_header_to_file()
out.write_kv_data_to_file()
out.write_tensors_to_file()
out.close()
