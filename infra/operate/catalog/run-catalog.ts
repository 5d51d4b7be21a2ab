import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readCatalog } from '@probe-mesh/control-plane/catalog/read-catalog'
import { catalogEnvironment } from '../../start/launch/operator-environment.ts'
import { defineCommandLine, flag, helpOf, parseArgv } from '@probe-mesh/runtime/argv'
import { readEnvironment } from '@probe-mesh/runtime/env'
import type { Environment } from '@probe-mesh/runtime/env'
import { list, optional, path, right, withDefault } from '@probe-mesh/runtime/setting'
import { parse, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { probedOf } from './finding.ts'
import { openRun } from './open-run.ts'
import { countsLine, findingLine, gradeLines } from './report.ts'
import { verifyProbes } from './verify.ts'
import type { YAMLMap } from 'yaml'
import type { Finding } from './finding.ts'

type Edit = { from: number; to: number; text: string }

/** The text of a catalog file with what was found written into it, and all else as it was. */
const noteVerified = (text: string, findings: readonly Finding[]): string => {
  const document = parseDocument(text)
  const edits = findings.flatMap(({ service, index, verified }) => {
    if (verified === undefined) return []
    const node = document.getIn(['services', service, 'probes', index, 'documented'])
    return isMap(node) ? (editOf(text, node, verified) ?? []) : []
  })
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((made, { from, to, text }) => made.slice(0, from) + text + made.slice(to), text)
}

const editOf = (text: string, map: YAMLMap, verified: string | null): Edit | null => {
  const value = verified ?? 'null'
  const held = map.get('verified', true)
  if (isScalar(held) && held.range) return { from: held.range[0], to: held.range[1], text: value }
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
  about:
    'The catalog of services: how its probes are graded, and whether the live services answer as it says.',
  commands: {
    grades: {
      summary: 'print the grade of every service',
      options: { catalog: optional(path, 'CATALOG_FILE, else the built-in one', 'the file') },
    },
    verify: {
      summary: 'try every probe once from this machine, and print what to change',
      options: {
        catalog: optional(path, 'CATALOG_FILE, else the built-in one', 'the file'),
        only: withDefault(list<string[]>('slugs', right), [], 'slugs, commas between', {
          shown: 'all services',
        }),
        write: flag(
          'record in the file what was seen ("verified"), and remove what is no longer so',
        ),
      },
    },
  },
  notes: `verify needs the internet. It exits 0 where nothing is to change, and 1 otherwise. TARGET_ALLOW names CIDRs
that may be probed although they are not public, CANARIES host:port pairs that show that this machine has internet.`,
})

const builtIn = fileURLToPath(
  new URL('../../../control-plane/catalog/catalog.yaml', import.meta.url),
)

type Output = { out(text: string): void; error(text: string): void }

/** @returns what the process ends with */
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
  const asked = {
    ...(parsed.command === 'verify' ? parsed.given : { only: [], write: false, ...parsed.given }),
    act: parsed.command,
  }
  const file = asked.catalog ?? environment['CATALOG_FILE'] ?? builtIn
  const opened = await open(file, environment)
  if (!opened.ok) {
    for (const problem of opened.problems) error(`catalog: ${problem}\n`)
    return 1
  }
  const { services, text, allow, canaries } = opened
  const unknown = asked.only.filter((slug) => !services.some((service) => service.slug === slug))
  if (unknown.length > 0) {
    error(`catalog: no service has the slug ${unknown.join(', ')}\n`)
    return 1
  }
  if (asked.act === 'grades') {
    out(`${gradeLines(services).join('\n')}\n`)
    return 0
  }
  const { run, online, close } = openRun({ allow, canaries, version: 'verify', now })
  try {
    if (!(await online())) {
      error('catalog: this machine has no internet, so nothing was verified\n')
      return 1
    }
    const findings = await verifyProbes(probedOf(services, asked.only), {
      run,
      now,
      onFinding: (finding) => {
        const line = findingLine(finding)
        if (line !== null) out(`${line}\n`)
      },
    })
    const noted = findings.filter(({ verified }) => verified !== undefined)
    if (asked.write && noted.length > 0) await writeFile(file, noteVerified(text, findings))
    out(`${countsLine(findings)}.\n`)
    if (asked.write) out(`${noted.length} noted in ${file}.\n`)
    const left = findings.filter(
      ({ outcome }) => outcome !== 'good' && !(asked.write && outcome === 'seen'),
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
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, problems: [`${file} cannot be read: ${why}`] } as const
  }
  const { TARGET_ALLOW: allow, CANARIES: canaries } = given.values
  const read = readCatalog(text, { parseYaml: (yaml): unknown => parse(yaml), allow })
  if (!read.ok) {
    const told = read.problems.map(({ path, message }) => `${file} ${path} ${message}`)
    return { ok: false, problems: told } as const
  }
  return {
    ok: true,
    services: read.catalog.services,
    text,
    allow,
    canaries,
  } as const
}
