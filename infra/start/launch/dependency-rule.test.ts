import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { checkRooms } from '../../../dependency-rule/check.ts'
import { floorsOf, judgeImports, judgeTable } from '../../../dependency-rule/judge-imports.ts'
import { withPicture } from '../../../dependency-rule/picture.ts'
import { packages } from '../../../dependency-rule/rooms.ts'

/** The problems of one file, without unused allowances. */
const judge = (path: string, ...names: string[]): string[] => {
  const lines = names.map((name, at) => `import { a${at} } from '${name}'\n`)
  const files = new Map([[path, lines.join('')]])
  return judgeImports(packages, files).filter((problem) => !problem.endsWith('and does not'))
}

test('holds for every import of the repository, and each allowance is used', () => {
  expect(checkRooms()).toEqual([])
})

test.each([
  ['contracts/src/check/a.ts', '@probe-mesh/bus/port'],
  ['contracts/src/schema/a.ts', '../check/check.ts'],
  ['runtime/src/a.ts', '@probe-mesh/contracts/schema/limits'],
  ['bus/src/in-process/a.ts', '@nats-io/jetstream'],
  ['bus/src/nats/a.ts', '@probe-mesh/probe-agent/agent'],
  ['probe-agent/src/publish/a.ts', '@nats-io/transport-node'],
  ['probe-agent/src/judge/a.ts', 'node:net'],
  ['probe-agent/src/judge/a.ts', '../run/runner.ts'],
  ['control-plane/src/checks/a.ts', '@probe-mesh/probe-agent/agent'],
  ['control-plane/src/checks/a.ts', '../app/app.ts'],
  ['infra/start/a.ts', '@probe-mesh/control-plane/src/app/config'],
  ['control-plane/src/app/a.ts', '@probe-mesh/error-tracking/persist/persister'],
  ['infra/operate/a.ts', '@probe-mesh/error-tracking/persist/persister'],
  ['control-plane/src/checks/a.ts', 'postgres'],
  ['control-plane/src/status/a.ts', '../checks/get-check.ts'],
  ['control-plane/src/status/a.ts', 'node:fs/promises'],
  ['control-plane/src/notifications/a.ts', 'fastify'],
  ['control-plane/src/notifications/channels/a.ts', 'nodemailer'],
  ['control-plane/src/readings/a.ts', '@clickhouse/client'],
  ['cli/src/actions/a.ts', 'ink'],
  ['cli/src/commands/a.ts', 'commander'],
  ['terraform/src/api/a.ts', '../resources/check.ts'],
  ['terraform/src/protocol/wire/a.ts', '@probe-mesh/contracts/api/client'],
  ['acceptance/oracle/judging/a.ts', '@probe-mesh/contracts/reading/slots'],
  ['acceptance/oracle/judging/a.ts', '../../../contracts/src/reading/slots.ts'],
  ['acceptance/oracle/outside/a.ts', '../../judge/judge.ts'],
  ['infra/start/launch/a.ts', '../../operate/output.ts'],
  ['infra/deploy/a.ts', '@probe-mesh/acceptance/judge/judge'],
  ['control-plane/src/checks/a.test.ts', '@probe-mesh/acceptance/judge/judge'],
])('refuses that %s imports %s', (file, imported) => {
  expect(judge(file, imported)).not.toEqual([])
})

test.each([
  ['contracts/src/check/a.ts', '../schema/limits.ts'],
  ['bus/src/nats/a.ts', '@nats-io/jetstream'],
  ['probe-agent/src/run/a.ts', '@probe-mesh/bus/port'],
  ['control-plane/src/checks/a.ts', '../records/check/checks-store.ts'],
  ['control-plane/src/http/a.ts', 'fastify'],
  ['control-plane/src/notifications/mail/a.ts', 'nodemailer'],
  ['control-plane/src/checks/a.test.ts', '../app/app.ts'],
  ['cli/src/top/view/a.ts', 'ink'],
  ['acceptance/oracle/outside/a.ts', '../judging/script.ts'],
  ['infra/start/a.ts', '@probe-mesh/control-plane/app/config'],
  ['infra/start/a.test.ts', '@probe-mesh/control-plane/src/app/config'],
  ['control-plane/src/app/a.ts', '@probe-mesh/error-tracking/feature'],
  ['control-plane/src/checks/a.test.ts', '@probe-mesh/infra/testing/postgres'],
])('allows that %s imports %s', (file, imported) => {
  expect(judge(file, imported)).toEqual([])
})

test('refuses a folder that the rule does not name, whatever its files import', () => {
  expect(judge('control-plane/src/utilities/a.ts')).toEqual([
    'control-plane/src/utilities/a.ts: the rule does not name the folder "utilities" of control-plane',
  ])
})

test('refuses a folder outside all packages', () => {
  expect(judge('tools/a.ts')).toEqual(['tools/a.ts: the rule does not name its folder'])
  expect(judge('control-plane/tools/a.ts')).toHaveLength(1)
  expect(judge('cli/build.ts')).toEqual([])
})

test('counts type imports, calls of import() and exports as imports', () => {
  const text = (line: string) => new Map([['contracts/src/schema/a.ts', line]])
  for (const line of [
    "import type { A } from '../check/check.ts'",
    "export { a } from '../check/check.ts'",
    "const a = await import('../check/check.ts')",
    "import '../check/check.ts'",
    "import {\n  a,\n  b,\n} from '../check/check.ts'",
  ]) {
    const problems = judgeImports(packages, text(line))
    expect(problems).toContain(
      'contracts/src/schema/a.ts: "schema" may not import "check" (../check/check.ts)',
    )
  }
})

test('lets a folder list only folders below it, so no circle can be allowed', () => {
  expect(judgeTable(packages)).toEqual([])
  const first = packages.find(({ name }) => name === 'contracts')
  if (first === undefined) throw new Error('no contracts')
  const turned = { ...first, rooms: first.rooms.toReversed() }
  expect(judgeTable([turned])).not.toEqual([])
})

test('places a folder above all that it imports', () => {
  for (const each of packages) {
    const floors = floorsOf(each)
    for (const [at, rooms] of floors.entries()) {
      const below = new Set(floors.slice(at + 1).flatMap((floor) => floor.map(({ name }) => name)))
      for (const room of rooms) expect(room.imports.filter((name) => !below.has(name))).toEqual([])
    }
  }
})

test('matches the picture in ARCHITECTURE.md', async () => {
  const text = await readFile(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8')
  expect(withPicture(text, packages)).toBe(text)
})
