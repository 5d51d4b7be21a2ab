import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The dependency rule of ARCHITECTURE.md, tried on files that break it and on their neighbours. */

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rule-'))
  for (const name of ['oxlint.config.ts', 'dependency-rule']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rm(folder, { recursive: true }))

const lint = async (file: string, imported: string): Promise<{ code: number; output: string }> => {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `import { something } from '${imported}'\nexport const used = something\n`)
  const script = await realpath(join(root, 'node_modules/.bin/oxlint'))
  return await new Promise((resolve) => {
    execFile(process.execPath, [script, file], { cwd: folder }, (error, stdout) =>
      resolve({ code: error === null ? 0 : 1, output: stdout }),
    )
  })
}

test.each([
  ['contracts/src/a.ts', '@probe-mesh/bus/port'],
  ['bus/src/a.ts', '@probe-mesh/probe-agent/agent'],
  ['bus/src/in-process/a.ts', '@nats-io/jetstream'],
  ['probe-agent/src/publish/a.ts', '@nats-io/transport-node'],
  ['probe-agent/src/run/a.ts', '@probe-mesh/control-plane/config'],
  ['probe-agent/src/judge/a.ts', 'node:net'],
  ['control-plane/src/account/a.ts', '@probe-mesh/probe-agent/agent'],
  ['control-plane/src/account/a.ts', '../http/app.ts'],
  ['control-plane/src/account/a.ts', '../assign/assigner.ts'],
  ['control-plane/src/checks/a.ts', '../postgres/checks.ts'],
  ['control-plane/src/ingest/a.ts', '../assess/book.ts'],
  ['control-plane/src/assess/a.ts', 'postgres'],
  ['control-plane/src/account/a.ts', '@clickhouse/client'],
  ['control-plane/src/postgres/a.ts', '../account/create-check.ts'],
  ['control-plane/src/postgres/a.ts', '../clickhouse/connect.ts'],
  ['control-plane/src/clickhouse/a.ts', '../ingest/ingester.ts'],
  ['control-plane/src/status/a.ts', '../postgres/connect.ts'],
  ['control-plane/src/status/a.ts', 'node:fs/promises'],
  ['control-plane/src/http/a.ts', '../ingest/ingester.ts'],
  ['control-plane/src/notify/a.ts', 'fastify'],
  ['acceptance/oracle/judging/a.ts', '@probe-mesh/contracts/slots'],
  ['acceptance/oracle/judging/a.ts', '@probe-mesh/infra/testing/audit'],
  ['acceptance/oracle/judging/a.ts', '../../../contracts/src/slots.ts'],
  ['acceptance/oracle/outside/a.ts', '../../judge/judge.ts'],
  ['cli/src/actions/a.ts', '@probe-mesh/control-plane/config'],
  ['cli/src/actions/a.ts', 'ink'],
  ['cli/src/actions/a.ts', '../commands/apply.ts'],
  ['cli/src/api/a.ts', '../actions/apply-file.ts'],
  ['cli/src/commands/a.ts', 'zod'],
  ['cli/src/commands/a.ts', 'commander'],
  ['cli/src/plan/a.ts', 'node:fs/promises'],
  ['cli/src/plan/a.ts', '../apply/apply-plan.ts'],
  ['cli/src/file/a.ts', '../plan/plan.ts'],
  ['cli/src/top/model/a.ts', 'react'],
  ['terraform/src/protocol/wire/a.ts', '@probe-mesh/contracts/client'],
  ['terraform/src/protocol/server/a.ts', '../../api/create-api.ts'],
  ['terraform/src/protocol/plan/a.ts', '../wire/messages.ts'],
  ['terraform/src/resources/a.ts', '../protocol/wire/messages.ts'],
  ['terraform/src/api/a.ts', '../resources/check.ts'],
])('%s may not import %s', async (file, imported) => {
  const { code, output } = await lint(file, imported)
  expect(output).toContain('no-restricted-imports')
  expect(code).toBe(1)
})

test.each([
  ['cli/src/actions/a.ts', '../plan/plan.ts'],
  ['cli/src/command-line/a.ts', 'commander'],
  ['cli/src/file/a.ts', 'yaml'],
  ['cli/src/top/view/a.ts', 'ink'],
  ['terraform/src/resources/a.ts', '../protocol/resource.ts'],
  ['terraform/src/resources/a.ts', '../api/create-api.ts'],
  ['bus/src/a.ts', '@probe-mesh/contracts/reading'],
  ['bus/src/nats/a.ts', '@nats-io/jetstream'],
  ['probe-agent/src/run/a.ts', '@probe-mesh/bus/port'],
  ['control-plane/src/account/a.ts', '../postgres/checks.ts'],
  ['control-plane/src/ingest/a.ts', '../clickhouse/insert-readings.ts'],
  ['control-plane/src/postgres/a.ts', '../status/state.ts'],
  ['control-plane/src/http/a.ts', '../account/create-check.ts'],
  ['control-plane/src/http/a.ts', 'fastify'],
  ['infra/a.ts', '@probe-mesh/control-plane/config'],
])('%s may import %s', async (file, imported) => {
  expect(await lint(file, imported)).toMatchObject({ code: 0 })
})
