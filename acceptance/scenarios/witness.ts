import { pause } from '@probe-mesh/runtime/pause'
import { createAnswerClient, type AnswerClient } from './answer-client.ts'
import type { Truth } from './behaviour.ts'
import type { Fleet } from './fleet.ts'
import { judgeAnswer, type Matrix } from './matrix.ts'
import { hostsOf, type Listed } from './services.ts'

/** Delay between queries: about one query per service and second. */
const paceMs = 20

/** Number of service queries between two internet queries. */
const servicesPerInternetQuery = 20

export type Witness = {
  /** Sets whether answers may report a shared incident. */
  expectIncident(mayBe: boolean): void
  /** Stops the queries. @throws the first unexpected error */
  close(): Promise<void>
}

/** Queries every service in turn and counts each answer against the truth. */
export const startWitness = (fleet: Fleet, matrix: Matrix): Witness => {
  const closing = new AbortController()
  const client = createAnswerClient(fleet.answersUrl)
  let mayBeIncident = false
  const queryInternet = async (): Promise<void> => {
    const result = await unlessStopped(fleet, () => client.query('isTheInternetDown'))
    if (result?.ok !== true || result.answer.status !== 'incident' || mayBeIncident) return
    matrix.countFalseAlarm(result.answer.summary)
  }
  const queryInTurn = async (): Promise<void> => {
    for (let turn = 0; !closing.signal.aborted; turn += 1) {
      const service = fleet.services[turn % fleet.services.length]
      if (service !== undefined && fleet.isServing()) await queryOnce(fleet, client, matrix, service)
      if (turn % servicesPerInternetQuery === 0 && fleet.isServing()) await queryInternet()
      await pause(paceMs, closing.signal)
    }
  }
  const querying = queryInTurn()
  return {
    expectIncident: (mayBe) => {
      mayBeIncident = mayBe
    },
    close: async () => {
      closing.abort()
      await querying
    },
  }
}

const queryOnce = async (
  fleet: Fleet,
  client: AnswerClient,
  matrix: Matrix,
  service: Listed,
): Promise<void> => {
  const sentMs = Date.now()
  const question = { params: { slug: service.slug } }
  const result = await unlessStopped(fleet, () => client.query('isServiceDown', question))
  if (result === null) return
  if (!result.ok) throw new Error(`${service.slug} was refused: ${result.problem.detail}`)
  const cameMs = Date.now()
  const hosts = hostsOf(service)
  const truthsOf = (region: string, fromMs: number, toMs: number): ReadonlySet<Truth>[] =>
    hosts.map((host) => fleet.target.truthsOf(host, region, fromMs, toMs))
  const { machineMs } = fleet.clock
  const judged = judgeAnswer(result.answer, { truthsOf, probes: hosts.length }, { sentMs, cameMs, machineMs })
  matrix.count(judged, `${service.slug} ${JSON.stringify(result.answer.regions)}`)
}

/** Returns null if the control plane has stopped. */
const unlessStopped = async <T>(fleet: Fleet, query: () => Promise<T>): Promise<T | null> => {
  const starts = fleet.starts()
  try {
    return await query()
  } catch (error) {
    if (!fleet.isServing() || fleet.starts() !== starts) return null
    throw error
  }
}
