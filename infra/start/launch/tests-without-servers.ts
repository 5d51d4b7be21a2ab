import { dirname } from 'node:path'
import { readTree } from '../../../dependency-rule/check.ts'
import { fileOf } from '../../../dependency-rule/judge-imports.ts'
import { packages } from '../../../dependency-rule/rooms.ts'

/** Packages that use a server of the run or change the state of their process. */
const apart = /^(?:postgres|@clickhouse\/.*|@nats-io\/.*|fastify|@fastify\/.*|undici|ink|react)$/
/** Files that mock modules, set variables or handle signals change their process. */
const changesProcess = /\bvi\.(?:mock|doMock|stubEnv|stubGlobal)\(|\bprocess\.(?:on\(|chdir|env\[[^\]]+\] =)/
const usesServers = /\binject\(/

/** The modules that a module loads, without type imports. */
const loadedBy = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?'([^']+)'/gm)].map(([, name]) => name ?? '')

/**
 * Lists the tests that need no servers of the run and do not change their process. They share one process,
 * because starting one for each takes longer than most of them run.
 */
export const testsWithoutServers = (): string[] => {
  const files = readTree()
  const known = new Map<string, boolean>()
  const isAlone = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // a circle of imports ends here: each member is judged by itself
    known.set(file, false)
    const text = files.get(file) ?? ''
    const alone =
      (file.endsWith('.test.ts') && (changesProcess.test(text) || usesServers.test(text))) ||
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

/** Lists the tests that change their process, so that no other test may run in it. */
export const testsOfOwnProcess = (): string[] =>
  [...readTree()]
    .filter(([file, text]) => file.endsWith('.test.ts') && changesProcess.test(text))
    .map(([file]) => file)
