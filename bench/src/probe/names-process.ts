// The DNS server of the bench.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { answerParent } from '../harness/child.ts'
import { answerName } from './answer-name.ts'

const bufferBytes = 4 * 2 ** 20

/** Any port of 127.0.0.1 (0), or the place where the system's resolver looks. */
export type NamesQuestion = { address: string; port: number }

answerParent(async ({ address, port }: NamesQuestion) => {
  const socket = createSocket({ type: 'udp4', recvBufferSize: bufferBytes })
  socket.on('message', (query, from) => {
    const answer = answerName(query)
    if (answer !== null) socket.send(answer, from.port, from.address)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  return socket.address().port
})
