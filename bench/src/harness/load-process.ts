// Sends prepared requests to servers, in a process of its own.
import { answerParent } from './child.ts'
import { requestBytes, sendLoad } from './send-load.ts'
import type { LoadRequest } from './send-load.ts'

export type LoadQuestion =
  | { kind: 'prepare'; port: number; requests: readonly LoadRequest[] }
  | { kind: 'run'; prepared: number; connections: number; seconds: number }

const prepared: { port: number; requests: Buffer[] }[] = []

answerParent<LoadQuestion>(async (question) => {
  if (question.kind === 'prepare') {
    const { port } = question
    return (
      prepared.push({ port, requests: question.requests.map((one) => requestBytes(port, one)) }) - 1
    )
  }
  const { connections, seconds } = question
  const load = prepared[question.prepared]
  if (load === undefined) throw new Error('nothing was prepared')
  const { port, requests } = load
  // each connection starts elsewhere, so that no two ask for the same at once
  const places = Array.from({ length: connections }, (_, at) =>
    Math.floor((at * requests.length) / connections),
  )
  return sendLoad({ port, connections, seconds }, (connection) => {
    const place = places[connection] ?? 0
    places[connection] = (place + 1) % requests.length
    return requests[place] ?? Buffer.alloc(0)
  })
})
