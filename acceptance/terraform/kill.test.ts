import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { expect, test, vi, type TestContext } from 'vitest'
import { startGate } from './testing/gate.ts'
import { startKillablePlane } from './testing/killable-plane.ts'
import { processesOf } from './testing/processes-of.ts'
import { buildProvider, openTerraformFolder } from './testing/run-terraform.ts'
import { expectOk, flat, head, openStage, startPlane } from './testing/stage.ts'

/** SIGKILL in the middle of an apply, of the control plane and of the provider. */

const patience = { timeout: 120_000 }
const soon = { timeout: 30_000, interval: 25 }

/** Closes the resources of a test in reverse order after it. */
const closer =
  ({ onTestFinished }: TestContext) =>
  <T extends { close(): Promise<void> }>(opened: T): T => {
    onTestFinished(() => opened.close())
    return opened
  }

// in parallel, each with its own build, whose folder identifies its processes: the first test mostly waits
// until the claims of interrupted requests expire
test.concurrent('a control plane killed during an apply creates nothing twice', patience, async (context) => {
  const closing = closer(context)
  const built = closing(await buildProvider())
  const checks = 12
  const plane = closing(await startKillablePlane())
  const sql = connectPostgres(plane.databaseUrl, { connectionsMax: 2 })
  context.onTestFinished(() => sql.end())
  // four are answered; then two are created and lose their answers, and two are started but not created
  const stopped = { answers: 0, requests: 0 }
  const locked = Promise.withResolvers<void>()
  const killed = Promise.withResolvers<void>()
  const gate = closing(
    await startGate(plane.port, {
      request: async (n) => {
        if (n !== 7 && n !== 8) return
        stopped.requests += 1
        await locked.promise
      },
      answer: async (n) => {
        if (n !== 5 && n !== 6) return
        stopped.answers += 1
        await killed.promise
        throw new Error('the client has disconnected')
      },
    }),
  )
  const own = closing(
    await openTerraformFolder({
      providerFolder: built.folder,
      environment: { SERVICE_API_URL: gate.apiUrl, SERVICE_API_KEY: plane.apiKey },
    }),
  )
  await own.write(`${head}
resource "service_check" "many" {
  count = ${checks}
  name = "check \${count.index}"
  url = "https://example.com/\${count.index}"
}
`)
  const applying = own.start('apply', '-auto-approve', '-parallelism=4')
  await vi.waitFor(() => expect(stopped).toEqual({ answers: 2, requests: 2 }), soon)
  await sql.begin(async (transaction) => {
    await transaction`lock table checks in share mode`
    locked.resolve()
    await vi.waitFor(async () => {
      expect(await sql`select from idempotency_keys`).toHaveLength(8)
    }, soon)
    await plane.process.kill()
  })
  killed.resolve()
  expect(await sql`select from checks`).toHaveLength(6)
  await plane.process.start()

  expectOk(await applying.ended)
  const times = Map.groupBy(gate.keys, (key) => key)
  expect(times.size).toBe(checks)
  expect([...times.values()].filter(({ length }) => length > 1)).toHaveLength(4)
  const made = await sql<{ name: string }[]>`select name from checks`
  expect(made.map(({ name }) => name).toSorted()).toEqual(
    Array.from({ length: checks }, (_, n) => `check ${n}`).toSorted(),
  )
  expectOk(await own.terraform('plan', '-detailed-exitcode'))
})

test.concurrent(
  'the next plan names checks that a killed provider created, and imports them',
  patience,
  async (context) => {
    const closing = closer(context)
    const built = closing(await buildProvider())
    const plane = await startPlane()
    closing(plane.at)
    const made = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    const gate = closing(
      await startGate(Number(new URL(plane.apiUrl).port), {
        answer: async (n) => {
          if (n !== 2) return
          made.resolve()
          await never.promise
        },
      }),
    )
    const own = closing(await openStage({ ...plane, apiUrl: gate.apiUrl }, { providerFolder: built.folder }))
    await own.write(`${head}
resource "service_check" "finished" {
  name = "finished"
  url = "https://finished.example.com/"
}
resource "service_check" "lost" {
  name = "lost"
  url = "https://Lost.example.com"
  depends_on = [service_check.finished]
}
resource "service_check" "never" {
  name = "never"
  url = "https://never.example.com/"
  depends_on = [service_check.lost]
}
`)
    const applying = own.start('apply', '-auto-approve')
    await made.promise
    for (const pid of await processesOf(built.folder)) process.kill(pid, 'SIGKILL')
    expect((await applying.ended).exitCode).toBe(1)
    expect(await processesOf(built.folder)).toEqual([])
    const left = await own.checks()
    const idOf = (name: string) => left.find((check) => check.name === name)?.id ?? ''
    expect(left.map(({ name }) => name).toSorted()).toEqual(['finished', 'lost'])

    const planned = await own.terraform('plan')
    expectOk(planned)
    expect(planned.out).toContain('Plan: 2 to add, 0 to change, 0 to destroy.')
    expect(flat(planned).match(/A check with this name and URL already exists/g)).toHaveLength(1)
    expect(flat(planned)).toContain(`"lost" for https://Lost.example.com (${idOf('lost')})`)

    expectOk(await own.terraform('import', 'service_check.lost', idOf('lost')))
    const applied = await own.terraform('apply', '-auto-approve')
    expectOk(applied)
    expect(applied.out).toContain('1 added, 0 changed, 0 destroyed')
    const names = (await own.checks()).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['finished', 'lost', 'never'])
    expectOk(await own.terraform('plan', '-detailed-exitcode'))
  },
)
