// The DNS server that names are asked of.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { answerParent } from '../child.ts'
import { answerName } from './answer-name.ts'

const bufferBytes = 4 * 2 ** 20

answerParent(async () => {
  const socket = createSocket({ type: 'udp4', recvBufferSize: bufferBytes })
  socket.on('message', (query, from) => {
    const answer = answerName(query)
    if (answer !== null) socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
})
