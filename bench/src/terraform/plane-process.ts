// A control plane in a process of its own, which counts what it is asked.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { answersOf } from '@probe-mesh/control-plane/outage/answers/testing'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { answerParent } from '../child.ts'
import { createBenchApp } from '../http-servers.ts'

export type PlaneQuestion =
  | { kind: 'start'; databaseUrl: string; clickhouseUrl: string; folder: string }
  | { kind: 'requests' }

let requests = 0

/** @returns the root of its REST API */
const start = async (question: PlaneQuestion & { kind: 'start' }): Promise<string> => {
  const bus = await openInProcessBus({ directory: question.folder })
  // no agent runs, and each check that is made would be told of in every region
  const log = createLog('error')
  const app = createBenchApp(question, { bus, answers: answersOf({}), log })
  app.server.on('request', () => requests++)
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`
}

/** Since the last question. */
const takeRequests = (): number => {
  const taken = requests
  requests = 0
  return taken
}

answerParent<PlaneQuestion>(async (question) =>
  question.kind === 'start' ? start(question) : takeRequests(),
)
