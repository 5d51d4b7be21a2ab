import fc from 'fast-check'
import type { Socket } from 'node:net'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { startPeer } from '../../tcp/probe/testing/peer.ts'
import { frames, sends } from './testing/frames.ts'
import { probe } from './testing/probing-grpc.ts'

const { head, data, trailers, reset, goaway, ping, settings } = frames
const valid = [head, trailers, ping, settings, data(Buffer.from([0, 0, 0, 0, 2, 8, 1]))]
const failing = [reset(0), reset(2), goaway(0, 0), goaway(0, 1), goaway(2, 1)]
const piece = fc.oneof(
  fc.constantFrom(...valid, ...failing),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.constantFrom(...valid), fc.nat(20)).map(([frame, length]) => frame.subarray(0, length)),
)
const endings: ((socket: Socket) => void)[] = [
  (socket) => void socket.end(),
  (socket) => void socket.destroy(),
  (socket) => void setImmediate(() => socket.destroy()),
  (socket) => socket.resetAndDestroy(),
]

test('any frames before the connection closes end at once, with a verdict about the target', async () => {
  let talk: (socket: Socket) => void = () => undefined
  const peer = await startPeer((socket) => talk(socket))
  await forAllAsync(
    [fc.array(piece, { maxLength: 8 }), fc.constantFrom(...endings)],
    async (pieces, ending) => {
      talk = sends(ending, ...pieces)
      const { judgement } = await probe({ port: peer.port })
      expect(judgement.fault).toMatch(/^(?:none|target)$/)
      expect(judgement.cause).not.toMatch(/timeout/)
    },
  )
})
