"""Prints as JSON what the wheels in a folder say in their tables: python3 wheels.py FOLDER < NAMES

Nothing of a wheel is imported or run: literals, calls and tests of a name are read from the text. NAMES is a JSON object
of names of models by maker, because one of the wheels answers by the beginnings of names.
"""
import ast
import glob
import json
import os
import re
import sys
import zipfile


class Unknown(Exception):
    """What stands there is no literal and no test of a name."""


def value_of(node, env):
    """What an expression is, where that can be told without running it."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            if node.id in env:
                return env[node.id]
            raise Unknown(node.id)
        case ast.Tuple() | ast.List() | ast.Set():
            return [value for one in node.elts for value in spread(one, env)]
        case ast.Dict():
            return {value_of(k, env): tried(v, env) for k, v in zip(node.keys, node.values) if k}
        case ast.UnaryOp(op=ast.Not()):
            return not value_of(node.operand, env)
        case ast.UnaryOp(op=ast.USub()):
            return -value_of(node.operand, env)
        case ast.BoolOp():
            values = [value_of(one, env) for one in node.values]
            return all(values) if isinstance(node.op, ast.And) else any(values)
        case ast.Compare(ops=[op], comparators=[right]):
            return compared(value_of(node.left, env), op, value_of(right, env))
        case ast.BinOp(op=ast.BitOr()):
            return [*value_of(node.left, env), *value_of(node.right, env)]
        case ast.Call():
            return called(node, env)
    raise Unknown(type(node).__name__)


def spread(node, env):
    return value_of(node.value, env) if isinstance(node, ast.Starred) else [value_of(node, env)]


def tried(node, env):
    try:
        return value_of(node, env)
    except (Unknown, TypeError):
        return None


def compared(left, op, right):
    match op:
        case ast.In():
            return left in right
        case ast.NotIn():
            return left not in right
        case ast.Eq():
            return left == right
        case ast.NotEq():
            return left != right
    raise Unknown(type(op).__name__)


def called(node, env):
    """A test of a name, a collection, or the named arguments of anything else."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in ('startswith', 'lower'):
        on = value_of(node.func.value, env)
        if node.func.attr == 'startswith':
            wanted = value_of(node.args[0], env)
            return on.startswith(wanted if isinstance(wanted, str) else tuple(wanted))
        return on.lower()
    name = getattr(node.func, 'id', getattr(node.func, 'attr', ''))
    args = [tried(one, env) for one in node.args]
    if name in ('frozenset', 'set', 'tuple', 'list'):
        return list(args[0]) if args else []
    if name == 'Decimal':
        return float(args[0])
    if name == 'date':
        return '-'.join(f'{one:02}' for one in args)
    return {word.arg: tried(word.value, env) for word in node.keywords}


def assignments(body, env):
    """The names that simple assignments give values to, each of which may use those before it."""
    known = dict(env)
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, 'target', None)]
        if getattr(node, 'value', None) is None or not isinstance(targets[0], ast.Name):
            continue
        value = tried(node.value, known)
        if value is not None:
            known[targets[0].id] = value
    return known


def parsed(files, path):
    return ast.parse(files[path].decode()).body


def within(body, function, env):
    found = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == function]
    return {} if not found else assignments(found[0].body, env)


def pydantic(files, names):
    """By maker and name, what the functions of the profiles find out about it."""
    profiles = {maker: parsed(files, f'pydantic_ai/profiles/{maker}.py') for maker in ('anthropic', 'openai', 'google', 'grok')}
    constants = {maker: assignments(body, {}) for maker, body in profiles.items()}
    said = {
        maker: {name: tested(profiles[maker], f'{maker}_model_profile', constants[maker], name) for name in names.get(maker, [])}
        for maker in ('anthropic', 'openai')
    }
    said['anthropic_inline'] = constants['anthropic'].get('_INLINE_SYSTEM_PROMPT_MODEL_PREFIXES', [])
    said['openai_reasoning'] = constants['openai'].get('_REASONING_SUPPORT_BY_PREFIX', {})
    said['google'] = {'levels': constants['google'].get('_MODEL_THINKING_LEVELS', [])}
    said['grok'] = {key: value for key, value in constants['grok'].items() if 'REASONING' in key}
    return said


def tested(body, function, constants, name):
    known = within(body, function, {**constants, 'model_name': name})
    return {key: value for key, value in known.items() if isinstance(value, bool) and key not in constants}


def literal(files, pattern, name):
    for path in files:
        if re.search(pattern, path):
            return assignments(parsed(files, path), {}).get(name)
    return None


def document(files, pattern):
    for path in files:
        if re.search(pattern, path):
            return {'file': path, 'data': json.loads(files[path])}
    return None


READERS = {
    'litellm': lambda files, names: {
        'prices': document(files, r'^litellm/model_prices_and_context_window_backup\.json$'),
        'codex': document(files, r'codex_bundled_models_.*\.json$'),
    },
    'genai_prices': lambda files, names: literal(files, r'^genai_prices/data\.py$', 'providers'),
    'pydantic_ai_slim': pydantic,
}

WANTED = re.compile(r'_profiles\.py$|profiles/\w+\.py$|data\.py$|prices_and_context_window_backup\.json$|codex_bundled_models')


def contents(path):
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist() if WANTED.search(name)}


def main():
    names = json.load(sys.stdin)
    found = {}
    for path in sorted(glob.glob(os.path.join(sys.argv[1], '*.whl'))):
        package, version = os.path.basename(path).split('-')[:2]
        read = READERS.get(package, lambda files, _: literal(files, r'/data/_profiles\.py$', '_PROFILES'))
        found[package] = {'version': version, 'tables': read(contents(path), names)}
    json.dump(found, sys.stdout, default=str)


main()
