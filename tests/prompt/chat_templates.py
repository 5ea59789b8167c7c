"""Small chat templates, each with the peculiarity of one family of models."""

CHATML = """
{%- for m in messages %}
<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}
"""

LLAMA_3 = """
{%- for m in messages -%}
<|start_header_id|>{{ 'ipython' if m.role == 'tool' else m.role }}<|end_header_id|>

{{ m.content | trim }}<|eot_id|>
{%- endfor -%}
{%- if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}
"""

# Raises on any system message, or if user and model do not take turns.
GEMMA_2 = """
{%- if messages and messages[0].role == 'system' %}
{{- raise_exception('no system role') }}
{%- endif %}
{%- for m in messages %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('take turns') }}{% endif %}
<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}
{{ m.content | trim }}<end_of_turn>
{% endfor %}
{%- if add_generation_prompt %}<start_of_turn>model
{% endif %}
"""

# A leading system message becomes the head of the first user message.
GEMMA_3 = """
{%- set head = '' %}{% set rest = messages %}
{%- if messages and messages[0].role == 'system' %}
{%- set head = messages[0].content ~ '\\n\\n' %}{% set rest = messages[1:] %}
{%- endif %}
{%- for m in rest %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('take turns') }}{% endif %}
<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}
{{ head if loop.first else '' }}{{ m.content | trim }}<end_of_turn>
{% endfor %}
{%- if add_generation_prompt %}<start_of_turn>model
{% endif %}
"""

MISTRAL_OLD = """
{%- for m in messages -%}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('take turns') }}
{%- endif -%}
{%- if m.role == 'user' %}[INST] {{ m.content }} [/INST]
{%- elif m.role == 'assistant' %}{{ m.content }}</s>
{%- else %}{{ raise_exception('only user and assistant') }}{% endif -%}
{%- endfor -%}
"""

# Silently moves all system text to the top, and drops past reasoning.
DEEPSEEK = """
{%- set ns = namespace(system='') %}
{%- for m in messages if m.role == 'system' %}
{%- set ns.system = ns.system ~ m.content %}
{%- endfor -%}
<｜begin▁of▁sentence｜>{{ ns.system }}
{%- for m in messages -%}
{%- if m.role == 'user' %}<｜User｜>{{ m.content }}
{%- elif m.role == 'assistant' -%}
<｜Assistant｜>{{ m.content.split('</think>')[-1] }}<｜end▁of▁sentence｜>
{%- elif m.role == 'tool' %}<｜tool▁output｜>{{ m.content }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}<｜Assistant｜>{% endif %}
"""

# Silently ignores all system messages.
DEAF = """
{%- for m in messages if m.role != 'system' -%}
### {{ m.role }}:
{{ m.content }}

{% endfor %}
{%- if add_generation_prompt %}### assistant:
{% endif %}
"""

# A chat with names; each system message also has the user's description.
NAMES = """
{%- for m in messages %}
{%- if m.role == 'system' %}
{{ m.content }}
{% if user_bio %}About {{ name1 }}: {{ user_bio }}
{% endif %}
{%- elif m.role == 'user' %}{{ name1 }}: {{ m.content }}
{% else %}{{ name2 }}: {{ m.content }}
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ name2 }}:{% endif %}
"""

BY_NAME = {
    "chatml": CHATML,
    "llama-3": LLAMA_3,
    "gemma-2": GEMMA_2,
    "gemma-3": GEMMA_3,
    "mistral-old": MISTRAL_OLD,
    "deepseek-r1": DEEPSEEK,
    "deaf": DEAF,
    "names": NAMES,
}
