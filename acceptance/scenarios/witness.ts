import { pause } from '@probe-mesh/bus/pause'
import { createAsker } from './asker.ts'
import type { Asker } from './asker.ts'
import type { Truth } from './behaviour.ts'
import type { Fleet } from './fleet.ts'
import { judgeAnswer } from './matrix.ts'
import type { Matrix } from './matrix.ts'
import { hostsOf } from './services.ts'
import type { Listed } from './services.ts'

/** How far apart questions are: so each service is asked about once in a second or so. */
const paceMs = 20

/** Between two looks at the internet so many services are asked about. */
const servicesPerLook = 20

export type Witness = {
  /** Says whether a shared incident is under way, or may be told still. */
  expectIncident(mayBe: boolean): void
  /** Ends asking. @throws what the answers could not be read for */
  close(): Promise<void>
}

/** Asks about every service in turn, all the while, and counts each answer against the truth. */
export const startWitness = (fleet: Fleet, matrix: Matrix): Witness => {
  const closing = new AbortController()
  const asker = createAsker(fleet.answersUrl)
  let mayBeIncident = false
  const lookOnce = async (): Promise<void> => {
    const told = await unlessStopped(fleet, () => asker.ask('isTheInternetDown'))
    if (told?.ok !== true || told.answer.status !== 'incident' || mayBeIncident) return
    matrix.countFalseAlarm(told.answer.summary)
  }
  const askInTurn = async (): Promise<void> => {
    for (let turn = 0; !closing.signal.aborted; turn += 1) {
      const service = fleet.services[turn % fleet.services.length]
      if (service !== undefined && fleet.isServing()) await askOnce(fleet, asker, matrix, service)
      if (turn % servicesPerLook === 0 && fleet.isServing()) await lookOnce()
      await pause(paceMs, closing.signal)
    }
  }
  const asking = askInTurn()
  return {
    expectIncident: (mayBe) => {
      mayBeIncident = mayBe
    },
    close: async () => {
      closing.abort()
      await asking
    },
  }
}

const askOnce = async (
  fleet: Fleet,
  asker: Asker,
  matrix: Matrix,
  service: Listed,
): Promise<void> => {
  const sentMs = Date.now()
  const question = { params: { slug: service.slug } }
  const told = await unlessStopped(fleet, () => asker.ask('isServiceDown', question))
  if (told === null) return
  if (!told.ok) throw new Error(`${service.slug} was refused: ${told.problem.detail}`)
  const cameMs = Date.now()
  const hosts = hostsOf(service)
  const truthsOf = (region: string, fromMs: number, toMs: number): ReadonlySet<Truth>[] =>
    hosts.map((host) => fleet.target.truthsOf(host, region, fromMs, toMs))
  const { machineMs } = fleet.clock
  const judged = judgeAnswer(
    told.answer,
    { truthsOf, probes: hosts.length },
    { sentMs, cameMs, machineMs },
  )
  matrix.count(judged, `${service.slug} ${JSON.stringify(told.answer.regions)}`)
}

/** null where the control plane was stopped meanwhile. */
const unlessStopped = async <T>(fleet: Fleet, ask: () => Promise<T>): Promise<T | null> => {
  const starts = fleet.starts()
  try {
    return await ask()
  } catch (error) {
    if (!fleet.isServing() || fleet.starts() !== starts) return null
    throw error
  }
}
