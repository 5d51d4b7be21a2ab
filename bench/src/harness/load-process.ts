// Sends prepared requests to servers, in a process of its own.
import { answerParent } from './child.ts'
import { sendLoad, type Amount, type LoadRequest } from './send-load.ts'

export type LoadQuestion =
  | { kind: 'prepare'; port: number; requests: readonly LoadRequest[] }
  | ({ kind: 'run'; prepared: number; connections: number } & Amount)

const prepared: { port: number; next: () => LoadRequest }[] = []

/** Every request in turn, from one connection or another, and then from the start. */
const inTurn = (requests: readonly LoadRequest[]): (() => LoadRequest) => {
  let sent = 0
  return () => requests[sent++ % requests.length] ?? { path: '/' }
}

answerParent<LoadQuestion>(async (question) => {
  if (question.kind === 'prepare') {
    return prepared.push({ port: question.port, next: inTurn(question.requests) }) - 1
  }
  const load = prepared[question.prepared]
  if (load === undefined) throw new Error('nothing was prepared')
  return sendLoad({ ...question, port: load.port }, load.next)
})
