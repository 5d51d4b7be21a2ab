// `node acceptance/papers/public-names.ts [FOLDER]`: prints every public name of a checkout, one per line,
// sorted: routes, fields, codes, tools, commands, flags, variables, metrics, subjects, tables and columns.
// Compare two checkouts with diff.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url))
const listed = execFileSync('git', ['ls-files'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const names = new Set<string>()
const add = (kind: string, found: Iterable<string | undefined>): void => {
  for (const name of found) if (name !== undefined) names.add(`${kind} ${name}`)
}
const all = (text: string, pattern: RegExp): (string | undefined)[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** Paths, parameters and properties of the OpenAPI document. */
const walk = (value: unknown, path: string): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (path === '/paths')
      add(
        'route',
        Object.keys(inner as object).map((verb) => `${verb} ${key}`),
      )
    if (path.endsWith('/properties')) add('field', [key])
    if (key === 'name' && typeof inner === 'string') add('parameter', [inner])
    walk(inner, `${path}/${key}`)
  }
}
// not committed
if (!existsSync(join(root, 'docs/openapi.json'))) execFileSync('npm', ['run', 'docs'], { cwd: root })
walk(JSON.parse(read('docs/openapi.json')), '')

add('code', all(read('docs/errors.md'), /SV-\d{4}/g))
add('flag', all(read('docs/cli.md'), /--[a-z][a-z-]+/g))
add('command', all(read('docs/cli.md'), /^### (?:service|probe-mesh) ([a-z -]+)$/gm))
for (const file of files) {
  if (file.endsWith('.sql')) {
    const text = read(file).toLowerCase()
    add('table', all(text, /create (?:table|view|materialized view) (?:if not exists )?([\w.]+)/g))
    add('column', all(text, /^\s+(?:add column (?:if not exists )?)?(\w+) [a-z]/gm))
  }
  if (!/\.(ts|tsx|mjs)$/.test(file) || /\.test\.|testing|^bench\/|^acceptance\//.test(file)) continue
  const text = read(file)
  const prefix = /metricPrefix/.test(text) || /prefix: string/.test(text) ? 'probe_mesh_agent_' : ''
  add('metric', all(text, /(?:name: |counter\(|gauge\(|histogram\()'([a-z]+(?:_[a-z0-9]+)+)'/g))
  add('metric', all(text, /probe_mesh_(?!agent_['`])[a-z0-9_]+/g))
  // created through `createMetrics`
  const created = all(text, /\.(?:counter|gauge|readTotal|readGauge)\(\s*'([a-z]+(?:_[a-z0-9]+)+)'/g)
  add(
    'metric',
    created.map((name) => (name?.startsWith('probe_mesh_') === true ? name : `${prefix}${name}`)),
  )
  add('variable', all(text, /['"`.]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g))
  if (file.startsWith('contracts/')) {
    add('tool', all(text, /^\s+name: '([a-z]+_[a-z_]+)'/gm))
    add('subject', all(text, /'((?:[a-z]+_)?[A-Z]{4,}|[a-z]+\.[a-z.>*]+)'/g))
  }
}
process.stdout.write(`${[...names].toSorted().join('\n')}\n`)
