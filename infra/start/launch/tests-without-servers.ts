import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Packages that reach a server of the run, or that leave something behind in their process. */
const apart = /^(?:postgres|@clickhouse\/.*|@nats-io\/.*|fastify|@fastify\/.*|undici|ink|react)$/
/** Modules that are replaced, variables that are set, and servers of the run stay with one file. */
const ownProcess =
  /\bvi\.(?:mock|doMock|stubEnv|stubGlobal)\(|\binject\(|\bprocess\.(?:on\(|chdir|env\[[^\]]+\] =)/

const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?'([^']+)'/gm)].map(
    ([, name]) => name ?? '',
  )

const fileOf = (importer: string, name: string): string | null => {
  if (name.startsWith('.')) return posix.join(posix.dirname(importer), name)
  const own = /^@probe-mesh\/([a-z-]+)\/(.+)$/.exec(name)
  if (own === null) return null
  const [, workspace = '', path = ''] = own
  return /^(?:infra|acceptance|bench)$/.test(workspace)
    ? `${workspace}/${path}.ts`
    : `${workspace}/src/${path}.ts`
}

/**
 * The tests that need no servers of the run and leave nothing behind in their process. They share one, one
 * file after another, since starting a process for each takes longer than most of them run.
 */
export const testsWithoutServers = (): string[] => {
  const known = new Map<string, boolean>()
  const isAlone = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // a circle of imports ends here: its members answer for themselves
    known.set(file, false)
    const text = readText(join(root, file))
    const names = importsOf(text)
    const alone =
      (file.endsWith('.test.ts') && ownProcess.test(text)) ||
      names.some((name) => {
        const path = fileOf(file, name)
        return path === null ? apart.test(name) : path.startsWith('infra/') || isAlone(path)
      })
    known.set(file, alone)
    return alone
  }
  return execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 16 * 2 ** 20,
    },
  )
    .trim()
    .split('\n')
    .filter(
      (file) =>
        !/^(?:infra|bench|acceptance\/(?:http-|fuzz))/.test(file) &&
        dirname(file) !== '.' &&
        !isAlone(file),
    )
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
