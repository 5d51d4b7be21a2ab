import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type GateStops } from './testing/gate.ts'
import { processesOf } from './testing/processes-of.ts'
import { buildProvider, type BuiltProvider } from './testing/run-terraform.ts'
import { expectOk, head, openStage, startPlane, type Plane } from './testing/stage.ts'

/** With `create_before_destroy` an interrupted replace leaves the old check, the new one, or both. */

const rounds = 200
let plane: Plane
let built: BuiltProvider
let stops: Required<GateStops>
const noStops: Required<GateStops> = {
  request: async () => {},
  answer: async () => {},
  deletion: async () => {},
}
beforeAll(async () => {
  ;[built, plane] = await Promise.all([buildProvider(), startPlane()])
  stops = noStops
}, 120_000)
const gate = useOnce(() =>
  startGate(Number(new URL(plane.apiUrl).port), {
    request: (n) => stops.request(n),
    answer: (n) => stops.answer(n),
    deletion: (when) => stops.deletion(when),
  }),
)
const own = useOnce(() => openStage({ ...plane, apiUrl: gate.apiUrl }, { providerFolder: built.folder }))
afterAll(async () => {
  await Promise.all([gate?.close(), plane?.at.close(), built?.close()])
})

const web = (round: number): string => `${head}
resource "service_check" "web" {
  name = "web"
  url  = "https://web.example.com/${round}"
  lifecycle { create_before_destroy = true }
}
`

/** Where the replace is when it is interrupted, and what is killed. */
const instants = ['before the create', 'after the create', 'before the delete', 'after the delete'] as const
const ways = [
  'SIGINT to Terraform',
  'SIGTERM to Terraform',
  'SIGKILL to Terraform',
  'SIGKILL to the provider',
] as const

test(`${rounds} interrupted replaces lose no check`, { timeout: 1_800_000 }, async () => {
  await own.write(web(0))
  expectOk(await own.terraform('apply', '-auto-approve'))
  let lost = 0
  const outcomes: Record<string, number> = {}
  for (let round = 1; round <= rounds; round++) {
    const instant = instants[round % instants.length] ?? 'before the create'
    const way = ways[Math.floor(round / instants.length) % ways.length] ?? 'SIGINT to Terraform'
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const stop = async (): Promise<void> => {
      reached.resolve()
      await released.promise
    }
    stops = {
      request: instant === 'before the create' ? stop : noStops.request,
      answer: instant === 'after the create' ? stop : noStops.answer,
      deletion: async (when) => {
        if (instant === `${when} the delete`) await stop()
      },
    }
    await own.write(web(round))
    const applying = own.start('apply', '-auto-approve')
    await Promise.race([reached.promise, applying.ended])
    const [signal] = way.split(' ')
    const pids = way.endsWith('provider') ? await processesOf(built.folder) : [applying.pid]
    expect(pids.length).toBeGreaterThan(0)
    for (const pid of pids) process.kill(pid, signal as NodeJS.Signals)
    stops = noStops
    released.resolve()
    await applying.ended
    // a provider without its Terraform ends by itself
    await expect.poll(() => processesOf(built.folder), { timeout: 60_000 }).toEqual([])
    const left = await own.checks()
    if (!left.some(({ name }) => name === 'web')) lost += 1
    const key = `${instant}, ${way}: ${left.length} left`
    outcomes[key] = (outcomes[key] ?? 0) + 1
    expectOk(await own.terraform('apply', '-auto-approve', '-lock-timeout=30s'))
    const managed = (await own.resources())['service_check.web']
    const after = await own.checks()
    expect(after.find(({ id }) => id === managed?.['id'])?.url).toBe(`https://web.example.com/${round}`)
    // what a killed run left behind is named by the plan, and deleted here
    for (const { id } of after) if (id !== managed?.['id']) await own.api('DELETE', `/checks/${id}`)
  }
  console.info(
    Object.entries(outcomes)
      .map(([key, times]) => `${times} × ${key}`)
      .join('\n'),
  )
  expect(lost).toBe(0)
})
