import { randomBytes } from 'node:crypto'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { send, type Sent } from '../send.ts'
import type { Person } from '../person.ts'
import type { Stage } from '../stage.ts'
import { repeat, turnOf, type Attack } from '../attack.ts'

/** A private agent of an account, driven with its token. */
type Agent = {
  checkId: string
  region: string
  /** Sends a message with this text as its list of readings. */
  send(batch: number, readings: string): Promise<Sent>
  /** Sends the result of a run that was not requested. */
  answer(id: string, body: string): Promise<Sent>
}

const enrol = async ({ origin }: Stage, person: Person): Promise<Agent> => {
  const { agent, token } = await person.requestOk<{ agent: { region: string }; token: string }>(
    'POST',
    '/agents',
    { name: 'inside' },
  )
  const { region } = agent
  const check = await person.requestOk<{ id: string }>('POST', '/checks', {
    name: 'inside',
    url: 'http://127.0.0.9:9/',
    intervalSeconds: 300,
    regions: [region],
  })
  const partition = partitionOf(check.id)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (path: string, body: string): Promise<Sent> =>
    send(`${origin}/relay${path}`, { method: 'POST', headers, body, from: person.from })
  return {
    checkId: check.id,
    region,
    send: (batch, readings) =>
      post(
        `/readings?partition=${partition}&messageId=${region}:${partition}:${batch}`,
        `{"version":1,"agent":"${region}","region":"${region}","partition":${partition},"batch":${batch},"readings":[${readings}]}`,
      ),
    answer: (id, body) => post(`/runs/${id}`, body),
  }
}

const enrolAll = (stage: Stage, people: readonly Person[]): Promise<Agent[]> =>
  Promise.all(people.map((person) => enrol(stage, person)))

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Depths around those at which parsers and walkers of their results overflow the stack. */
const depths = [4_380, 4_385, 4_390, 4_400, 3_000, 10_000, 60_000]

export const nestedReadings: Attack = {
  name: 'readings nested thousands deep',
  run: async ({ stage, people, signal, begun }) => {
    const agents = await enrolAll(stage, people.slice(0, 4))
    let batch = 0
    const once = async (): Promise<void> => {
      const agent = turnOf(agents, batch)
      const depth = turnOf(depths, batch)
      batch += 1
      const { checkId, region } = agent
      await agent.send(batch, `{"checkId":"${checkId}","region":"${region}","x":${nested(depth)}}`)
      await agent.answer(crypto.randomUUID(), `{"agent":"x","reading":${nested(depth)}}`)
    }
    for (let number = 0; number < 2 * depths.length; number++) await once().catch(() => undefined)
    begun()
    await repeat(1, signal, once)
  },
}

export const floodOfReadings: Attack = {
  name: 'malformed readings and unrequested runs from private agents',
  run: async ({ stage, people, signal, begun }) => {
    const agents = await enrolAll(stage, people)
    const noise = randomBytes(30_000).toString('base64')
    const picture = randomBytes(70_000).toString('base64')
    let batch = 0
    begun()
    await repeat(8, signal, async () => {
      batch += 1
      const agent = turnOf(agents, batch)
      const { checkId, region } = agent
      if (batch % 2 === 0) {
        return agent.send(batch, `{"checkId":"${checkId}","region":"${region}","noise":"${noise}"}`)
      }
      const at = Date.now()
      const unrequested = {
        checkId,
        region,
        slot: at,
        kind: 'manual',
        number: batch,
        verdict: 'up',
        fault: 'none',
        cause: 'ok',
        reason: null,
        httpStatus: 200,
        latencyMs: 1,
        timings: noTimings,
        measuredAt: at,
        attempts: 1,
        lateMs: 0,
        address: '127.0.0.9',
        certificateExpiresAt: null,
        screenshot: picture,
      } satisfies Reading
      return agent.send(batch, JSON.stringify(unrequested))
    })
  },
}
