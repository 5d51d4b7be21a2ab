import { Mesh } from '@probe-mesh/contracts/mesh/mesh'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test, vi } from 'vitest'
import { createChecks } from '../testing/create-checks.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { openSession } from '../testing/open-session.ts'
import { createTestOwner } from '@probe-mesh/infra/testing/processes/account'
import type { AgentPart } from '@probe-mesh/infra/testing/processes/compose'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget } from '@probe-mesh/infra/testing/target'

/**
 * The mesh page while parts die: a killed agent is offline since its last report, and no dead part is shown
 * as healthy.
 */

const checks = 24
const region = 'fra'
const patience = { timeout: 60_000, interval: 200 }
/** For a busy machine; usually half a minute. */
const timeout = 120_000
/** How late an announcement may be seen, because it is read at the pace of announcements. */
const hearingMs = 2 * presence.announceMs

/** A control plane as a logged-in user sees it. */
type View = { plane: EntryPart; mesh(): Promise<Mesh>; page(): Promise<string> }

let views: View[]
const target = useOnce(() => startTarget(), timeout)
const mesh = useOnce(
  () =>
    startProcesses({
      regions: [region, 'nrt'],
      tiers: { scale: { intervalSecondsMin: 1 } },
      budgetScale: 10_000,
    }),
  timeout,
)
beforeAll(async () => {
  const owner = await createTestOwner(mesh.databaseUrl)
  const cookie = await openSession(new URL(mesh.apiUrl).origin, owner)
  views = mesh.controlPlanes.map((plane) => viewOf(plane, cookie))
  const url = target.url('/')
  const inputs = Array.from({ length: checks }, (_, n) => ({
    name: `${n}`,
    url,
    regions: [region],
    intervalSeconds: 5,
  }))
  await createChecks({ apiUrl: mesh.apiUrl, apiKey: owner.apiKey }, inputs)
  await everythingAssigned(mesh, checks)
}, timeout)

const viewOf = (plane: EntryPart, cookie: string): View => {
  const read = async (path: string): Promise<Response> => {
    const answer = await fetch(`${plane.url}${path}`, { headers: { cookie } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return answer
  }
  return {
    plane,
    mesh: async () => Mesh.parse(await (await read('/dashboard-api/mesh')).json()),
    page: async () => (await read('/dashboard/mesh')).text(),
  }
}

const agentIn = (answer: Mesh, name: string) => {
  const agent = answer.agents.find((one) => one.agent === name)
  if (agent === undefined) throw new Error(`no state is published for ${name}`)
  return agent
}
const regionIn = (answer: Mesh) => {
  const { there, gone, unknown } = answer.regions.find((one) => one.region === region) ?? {}
  return { there, gone, unknown }
}
/** The text of an agent's row on the page. */
const rowOf = (page: string, name: string): string => {
  const row = page.split('<tr').find((one) => one.includes(`<bdi>${name}</bdi>`))
  return (row ?? '').replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}
const agentOf = (name: string): AgentPart => {
  const agent = mesh.agents.find((one) => one.name === name)
  if (agent === undefined) throw new Error(`there is no agent ${name}`)
  return agent
}
const assigned = (agent: AgentPart) => agent.metric('probe_mesh_agent_assignments')

/** Polls until the answer matches. @returns every answer */
const answersUntil = async (view: View, matches: (answer: Mesh) => void): Promise<Mesh[]> => {
  const answers: Mesh[] = []
  await vi.waitFor(async () => {
    const answer = await view.mesh()
    answers.push(answer)
    matches(answer)
  }, patience)
  return answers
}

test(
  'a killed agent is offline since its last report, the other agent takes its share, and it returns',
  { timeout },
  async () => {
    const [victim, other] = [agentOf(`${region}-1`), agentOf(`${region}-2`)]
    for (const view of views) {
      await answersUntil(view, (answer) => {
        expect(regionIn(answer)).toEqual({ there: 2, gone: 0, unknown: 0 })
      })
    }
    const shareBefore = await assigned(other)
    expect(shareBefore).toBeLessThan(checks)
    const killedAt = await victim.kill()

    const seen = await Promise.all(
      views.map((view) =>
        answersUntil(view, (answer) => {
          expect(agentIn(answer, victim.name).state).toBe('gone')
          expect(regionIn(answer)).toEqual({ there: 1, gone: 1, unknown: 0 })
        }),
      ),
    )
    for (const answers of seen) {
      for (const answer of answers) {
        const { state, heardAt } = agentIn(answer, victim.name)
        const heardMs = Date.parse(heardAt)
        // every state contains the time of its last report
        expect(heardMs).toBeLessThanOrEqual(killedAt + hearingMs)
        const silentMs = Date.parse(answer.at) - heardMs
        if (silentMs > presence.silentMs + hearingMs) expect(state).not.toBe('there')
      }
      const last = answers.at(-1)
      expect(last === undefined ? null : agentIn(last, other.name).state).toBe('there')
    }
    await vi.waitFor(async () => expect(await assigned(other)).toBe(checks), patience)
    const row = rowOf(await (views[0] as View).page(), victim.name)
    expect(row).toContain(' Offline ')
    expect(row).toMatch(/unknown; \d+ in the last report at/)

    const restartedAt = await victim.start()
    for (const view of views) {
      await answersUntil(view, (answer) => {
        const { state, startedAt } = agentIn(answer, victim.name)
        expect(state).toBe('there')
        expect(Date.parse(startedAt ?? '')).toBeGreaterThan(killedAt)
        expect(regionIn(answer)).toEqual({ there: 2, gone: 0, unknown: 0 })
      })
    }
    expect(restartedAt).toBeGreaterThan(killedAt)
    await vi.waitFor(async () => expect(await assigned(other)).toBe(shareBefore), patience)
    expect(rowOf(await (views[0] as View).page(), victim.name)).toContain(' Online ')
  },
)

test(
  'the other control plane takes the partitions of a killed one, and the page soon shows that',
  { timeout },
  async () => {
    const [victim, survivor] = views
    if (victim === undefined || survivor === undefined) throw new Error('this test needs two control planes')
    const ownersOf = ({ partitions }: Mesh) => new Set(partitions.map(({ owner }) => owner))
    let before: Mesh | undefined
    await answersUntil(survivor, (answer) => {
      before = answer
      expect(ownersOf(answer).size).toBe(2)
      expect(ownersOf(answer)).not.toContain(null)
    })
    await victim.plane.kill()
    let after: Mesh | undefined
    await answersUntil(survivor, (answer) => {
      after = answer
      expect(ownersOf(answer).size).toBe(1)
      expect(ownersOf(answer)).not.toContain(null)
    })
    const ownedBefore = before?.partitions ?? []
    const [heir] = [...ownersOf(after as Mesh)]
    expect(ownedBefore.map(({ owner }) => owner)).toContain(heir)
    for (const { partition, epoch } of after?.partitions ?? []) {
      const was = ownedBefore.find((one) => one.partition === partition)
      // a takeover raises the epoch of a partition; the survivor keeps its own partitions
      expect(epoch > (was?.epoch ?? 0)).toBe(was?.owner !== heir)
    }
    await victim.plane.start()
    const back = await answersUntil(victim, (answer) => expect(ownersOf(answer).size).toBe(2))
    // a new control plane knows only the online agents
    expect(back.at(-1)?.agents.every(({ state }) => state === 'there')).toBe(true)
  },
)
