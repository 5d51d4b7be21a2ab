// `npm run paths [-- --list] [--root FOLDER] [path#name,path#name ...]`: counts our files on the path of a request, and
// the floors and doors of each package. It follows static calls: from a declaration to all declarations that its text names.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fileOf, floorsOf } from './judge-imports.ts'
import { packages } from './rooms.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    list: { type: 'boolean', default: false },
  },
})

type Imported = { file: string; name: string }
type Source = { declarations: Map<string, string>; imports: Map<string, Imported> }

const sources = new Map<string, Source>()

const presentFileOf = (importer: string, from: string): string | null => {
  const file = fileOf(packages, importer, from)
  return file !== null && existsSync(join(values.root, file)) ? file : null
}

/** The top-level declarations of a file by name, and its imports, without types. */
const read = (file: string): Source => {
  const known = sources.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(values.root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const imports = new Map<string, Imported>()
  for (const [, type, named = '', from = ''] of text.matchAll(
    /^import (type )?(?:\{([^}]*)\}|\* as \w+|\w+) from '([^']+)'/gm,
  )) {
    const target = presentFileOf(file, from)
    if (type !== undefined || target === null) continue
    for (const part of named.split(',')) {
      const [name = '', alias = name] = part.trim().split(' as ')
      if (name !== '' && !name.startsWith('type ')) imports.set(alias, { file: target, name })
    }
  }
  const declarations = new Map<string, string>()
  const heads = [...text.matchAll(/^(?:export )?(?:async )?(?:const|let|function\*?|class|enum) (\w+)/gm)]
  for (const [at, head] of heads.entries()) {
    const end = heads[at + 1]?.index ?? text.length
    declarations.set(head[1] ?? '', text.slice(head.index, end))
  }
  const source = { declarations, imports }
  sources.set(file, source)
  return source
}

/** @param entries each `path#name`. @returns the files on the path, without tests and their helpers */
const filesFrom = (entries: readonly string[]): string[] => {
  const seen = new Set<string>()
  const files = new Set<string>()
  const open = [...entries]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (seen.has(entry)) continue
    seen.add(entry)
    const [file = '', name = ''] = entry.split('#')
    const { declarations, imports } = read(file)
    const text = declarations.get(name)
    if (text === undefined) continue
    files.add(file)
    for (const [word] of text.matchAll(/\b[A-Za-z_]\w*\b/g)) {
      const imported = imports.get(word)
      if (imported !== undefined) open.push(`${imported.file}#${imported.name}`)
      else if (word !== name && declarations.has(word)) open.push(`${file}#${word}`)
    }
  }
  return [...files].toSorted()
}

const plane = 'control-plane/src'
const paths: Readonly<Record<string, readonly string[]>> =
  positionals.length > 0
    ? Object.fromEntries(positionals.map((entries) => [entries, entries.split(',')]))
    : {
        'POST /v1/checks': [`${plane}/checks/create-check.ts#createCheck`, `${plane}/http/gate.ts#gateHook`],
        'one http attempt': ['probe-agent/src/probes/probe-http.ts#probeHttp'],
        'a flip to its mail': [
          `${plane}/app/alerting/process-flips.ts#processFlips`,
          `${plane}/notifications/deliver.ts#deliver`,
        ],
        'a reading to its answer': [
          `${plane}/mesh/ingest/ingester.ts#startIngester`,
          `${plane}/mesh/assess/assessor.ts#startAssessor`,
          `${plane}/public-answers/answers/answer-verbs.ts#isServiceDown`,
        ],
      }
for (const [way, entries] of Object.entries(paths)) {
  const files = filesFrom(entries)
  process.stdout.write(`${way}: ${files.length} files\n`)
  if (values.list) for (const file of files) process.stdout.write(`  ${file}\n`)
}
if (positionals.length === 0) {
  for (const one of packages) {
    const { exports = {} } = JSON.parse(
      readFileSync(join(values.root, one.name, 'package.json'), 'utf8'),
    ) as {
      exports?: object
    }
    const doors = Object.keys(exports).length
    process.stdout.write(
      `${one.name}: ${one.rooms.length} rooms, ${floorsOf(one).length} floors, ${doors} doors\n`,
    )
  }
}
