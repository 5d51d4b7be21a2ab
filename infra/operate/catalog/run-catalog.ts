import { messageOf } from '@probe-mesh/runtime/errors'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readCatalog } from '@probe-mesh/control-plane/catalog/read-catalog'
import { catalogEnvironment } from '../../start/launch/operator-environment.ts'
import { defineCommandLine, flag, helpOf, parseArgv } from '@probe-mesh/runtime/argv'
import { readEnvironment, type Environment } from '@probe-mesh/runtime/env'
import { list, optional, path, right, withDefault } from '@probe-mesh/runtime/setting'
import { parse, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { probedOf, type Finding } from './finding.ts'
import { openRun } from './open-run.ts'
import { countsLine, findingLine, gradeLines } from './report.ts'
import { verifyProbes } from './verify.ts'

type Edit = { from: number; to: number; text: string }

/** Writes `verified` into the text of a catalog file and keeps the rest. */
const writeVerified = (text: string, findings: readonly Finding[]): string => {
  const document = parseDocument(text)
  const edits = findings.flatMap(({ service, index, verified }) => {
    if (verified === undefined) return []
    const node = document.getIn(['services', service, 'probes', index, 'documented'])
    return isMap(node) ? (editOf(text, node, verified) ?? []) : []
  })
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((result, { from, to, text }) => result.slice(0, from) + text + result.slice(to), text)
}

const editOf = (text: string, map: YAMLMap, verified: string | null): Edit | null => {
  const value = verified ?? 'null'
  const existing = map.get('verified', true)
  if (isScalar(existing) && existing.range)
    return { from: existing.range[0], to: existing.range[1], text: value }
  const [first, last] = [map.items[0]?.key, map.items.at(-1)?.value]
  const [from, to] = [rangeOf(first)?.[0], rangeOf(last)?.[1]]
  if (from === undefined || to === undefined) return null
  if (map.flow === true) return { from: to, to, text: `, verified: ${value}` }
  const indent = from - (text.lastIndexOf('\n', from) + 1)
  return { from: to, to, text: `\n${' '.repeat(indent)}verified: ${value}` }
}

const rangeOf = (node: unknown) =>
  isScalar(node) || isMap(node) || isSeq(node) ? (node.range ?? undefined) : undefined

const commands = defineCommandLine({
  call: 'npm run -s catalog --',
  about: 'The catalog of services: the grades of its probes, and a check of them against the live services.',
  commands: {
    grades: {
      summary: 'print the grade of every service',
      options: { catalog: optional(path, 'CATALOG_FILE, else the built-in one', 'the file') },
    },
    verify: {
      summary: 'run every probe once from this machine, and print what to change',
      options: {
        catalog: optional(path, 'CATALOG_FILE, else the built-in one', 'the file'),
        only: withDefault(list<string[]>('slugs', right), [], 'slugs, separated by commas', {
          shown: 'all services',
        }),
        write: flag(
          'write "verified" for matching probes into the file, and remove it where a probe no longer matches',
        ),
      },
    },
  },
  notes: `verify needs the internet. It exits 0 if nothing has to change, else 1. TARGET_ALLOW lists private CIDRs
that probes may reach. CANARIES lists host:port pairs that prove that this machine has internet.`,
})

const builtIn = fileURLToPath(new URL('../../../control-plane/catalog/catalog.yaml', import.meta.url))

type Output = { out(text: string): void; error(text: string): void }

/** @returns the exit code */
export const runCatalog = async (
  args: readonly string[],
  environment: Environment,
  { out, error }: Output,
  now: () => number = Date.now,
): Promise<number> => {
  const parsed = parseArgv(commands, args)
  if (parsed.kind !== 'run') {
    for (const problem of parsed.kind === 'wrong' ? parsed.problems : []) {
      error(`catalog: ${problem}\n`)
    }
    error(helpOf(commands))
    return 1
  }
  const options = {
    ...(parsed.command === 'verify' ? parsed.given : { only: [], write: false, ...parsed.given }),
    act: parsed.command,
  }
  const file = options.catalog ?? environment['CATALOG_FILE'] ?? builtIn
  const opened = await open(file, environment)
  if (!opened.ok) {
    for (const problem of opened.problems) error(`catalog: ${problem}\n`)
    return 1
  }
  const { services, text, allow, canaries } = opened
  const unknown = options.only.filter((slug) => !services.some((service) => service.slug === slug))
  if (unknown.length > 0) {
    error(`catalog: no service has the slug ${unknown.join(', ')}\n`)
    return 1
  }
  if (options.act === 'grades') {
    out(`${gradeLines(services).join('\n')}\n`)
    return 0
  }
  const { run, online, close } = openRun({ allow, canaries, version: 'verify', now })
  try {
    if (!(await online())) {
      error('catalog: this machine reaches none of CANARIES, so nothing was verified\n')
      return 1
    }
    const findings = await verifyProbes(probedOf(services, options.only), {
      run,
      now,
      onFinding: (finding) => {
        const line = findingLine(finding)
        if (line !== null) out(`${line}\n`)
      },
    })
    const changed = findings.filter(({ verified }) => verified !== undefined)
    if (options.write && changed.length > 0) await writeFile(file, writeVerified(text, findings))
    out(`${countsLine(findings)}.\n`)
    if (options.write) out(`${changed.length} written to ${file}.\n`)
    const left = findings.filter(
      ({ outcome }) => outcome !== 'good' && !(options.write && outcome === 'seen'),
    )
    return left.length === 0 ? 0 : 1
  } finally {
    close()
  }
}

const open = async (file: string, environment: Environment) => {
  const given = readEnvironment(catalogEnvironment, environment)
  if (!given.ok) return given
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const why = messageOf(error)
    return { ok: false, problems: [`${file} cannot be read: ${why}`] } as const
  }
  const { TARGET_ALLOW: allow, CANARIES: canaries } = given.values
  const read = readCatalog(text, { parseYaml: (yaml): unknown => parse(yaml), allow })
  if (!read.ok) {
    const problems = read.problems.map(({ path, message }) => `${file} ${path} ${message}`)
    return { ok: false, problems } as const
  }
  return {
    ok: true,
    services: read.catalog.services,
    text,
    allow,
    canaries,
  } as const
}
