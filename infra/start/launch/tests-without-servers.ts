import { dirname } from 'node:path'
import { readTree } from '../../../dependency-rule/check.ts'
import { fileOf } from '../../../dependency-rule/judge-imports.ts'
import { packages } from '../../../dependency-rule/rooms.ts'

/** Packages that reach a server of the run, or that leave something behind in their process. */
const apart = /^(?:postgres|@clickhouse\/.*|@nats-io\/.*|fastify|@fastify\/.*|undici|ink|react)$/
/** Modules that are replaced, variables that are set, and servers of the run stay with one file. */
const ownProcess =
  /\bvi\.(?:mock|doMock|stubEnv|stubGlobal)\(|\binject\(|\bprocess\.(?:on\(|chdir|env\[[^\]]+\] =)/

/** What is loaded with a module: types are not. */
const loadedBy = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?'([^']+)'/gm)].map(([, name]) => name ?? '')

/**
 * The tests that need no servers of the run and leave nothing behind in their process. They share one, one
 * file after another, since starting a process for each takes longer than most of them run.
 */
export const testsWithoutServers = (): string[] => {
  const files = readTree()
  const known = new Map<string, boolean>()
  const isAlone = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // a circle of imports ends here: its members answer for themselves
    known.set(file, false)
    const text = files.get(file) ?? ''
    const alone =
      (file.endsWith('.test.ts') && ownProcess.test(text)) ||
      loadedBy(text).some((name) => {
        const path = fileOf(packages, file, name)
        return path === null ? apart.test(name) : path.startsWith('infra/') || isAlone(path)
      })
    known.set(file, alone)
    return alone
  }
  return [...files.keys()].filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !/^(?:infra|bench|acceptance\/(?:http-|fuzz))/.test(file) &&
      dirname(file) !== '.' &&
      !isAlone(file),
  )
}
