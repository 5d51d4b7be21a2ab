import { dirname } from 'node:path'
import { readTree } from '../../../dependency-rule/check.ts'
import { fileOf } from '../../../dependency-rule/judge-imports.ts'
import { packages } from '../../../dependency-rule/rooms.ts'

/** Packages whose users may need a server of the run. */
const ofServers = /^(?:postgres|@clickhouse\/.*|@nats-io\/.*|fastify|@fastify\/.*|undici|ink|react)$/
const usesServers = /\binject\(/
/** Some of them start servers, and some need none. */
const helpers = 'infra/testing/'

/** The modules that a module loads, without type imports. */
const loadedBy = (text: string): string[] =>
  // bounded: sources are our own
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?'([^']+)'/gm)].map(([, name]) => name ?? '')

/** Lists the tests that need no servers of the run, so that a run of only these starts none. */
export const testsWithoutServers = (): string[] => {
  const files = readTree()
  const known = new Map<string, boolean>()
  const needsServers = (file: string): boolean => {
    const before = known.get(file)
    if (before !== undefined) return before
    // a circle of imports ends here: each member is judged by itself
    known.set(file, false)
    const text = files.get(file) ?? ''
    const needs =
      ((file.endsWith('.test.ts') || file.startsWith(helpers)) && usesServers.test(text)) ||
      loadedBy(text).some((name) => {
        const path = fileOf(packages, file, name)
        if (path === null) return ofServers.test(name)
        return (path.startsWith('infra/') && !path.startsWith(helpers)) || needsServers(path)
      })
    known.set(file, needs)
    return needs
  }
  return [...files.keys()].filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !/^(?:infra|bench|acceptance\/(?:http-|fuzz))/.test(file) &&
      dirname(file) !== '.' &&
      !needsServers(file),
  )
}
