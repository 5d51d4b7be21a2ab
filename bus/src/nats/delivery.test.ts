import { expect, test } from 'vitest'
import { acknowledgementSubject, deliveryOf, type Delivery } from './delivery.ts'
import { admitDeliveries } from './stream-consumer.ts'

const delivery = (number: number, sequence: number): Delivery => ({
  sequence,
  number,
  storedAt: 0,
  reply: `reply ${number}`,
  subject: 'mesh.readings.3.fra',
  data: new Uint8Array(),
})

const position = () => ({ handed: 10, acknowledged: 8, number: 4, owed: 0, doubtful: false })

test.each([
  ['$JS.ACK.READINGS.ingest-3.1.77.5.1763672400123456789.2'],
  ['$JS.ACK._.hash.READINGS.ingest-3.1.77.5.1763672400123456789.2.token'],
])('a delivery is read from %s', (reply) => {
  const data = Buffer.from('x')
  const found = deliveryOf({ reply, subject: 'mesh.readings.3.fra', data })
  expect(found).toMatchObject({
    sequence: 77,
    number: 5,
    storedAt: 1_763_672_400_123,
    reply,
  })
  expect(found.data).not.toBe(data)
})

test.each([['mesh.run.fra'], ['$JS.ACK.READINGS.ingest-3.1.77.5.1763672400123456789']])(
  'what is no delivery is an error: %s',
  (reply) => {
    expect(() => deliveryOf({ reply, subject: 'mesh.readings.3.fra', data: new Uint8Array() })).toThrow(
      'not a delivery',
    )
  },
)

test('an acknowledgement names the sequence', () => {
  const reply = acknowledgementSubject('READINGS', 'ingest-3', 77)
  expect(deliveryOf({ reply, subject: 'mesh.readings.3.fra', data: new Uint8Array() })).toMatchObject({
    sequence: 77,
  })
})

test('delivers consecutive messages', () => {
  const at = position()
  const { fresh } = admitDeliveries(at, [delivery(5, 12), delivery(6, 40)])
  expect(fresh.map(({ sequence }) => sequence)).toEqual([12, 40])
  expect(at).toEqual({ ...position(), handed: 40, number: 6 })
})

test('delivers nothing after a missing message before it is read', () => {
  const at = position()
  const { fresh } = admitDeliveries(at, [delivery(5, 12), delivery(7, 40), delivery(8, 41)])
  expect(fresh.map(({ sequence }) => sequence)).toEqual([12])
  expect(at).toEqual({ ...position(), handed: 12, number: 8, owed: 41 })
})

test('skips a repeated delivery, and acknowledges it again if it was', () => {
  const at = position()
  const deliveries = [delivery(5, 6), delivery(6, 7), delivery(7, 9), delivery(8, 12)]
  const { fresh, repeated } = admitDeliveries(at, deliveries)
  expect(fresh.map(({ sequence }) => sequence)).toEqual([12])
  expect(repeated.map(({ sequence }) => sequence)).toEqual([6, 7])
})

test('after a repeated delivery behind a missing one the server must be queried', () => {
  const at = position()
  const { fresh } = admitDeliveries(at, [delivery(6, 9), delivery(7, 12)])
  expect(fresh).toEqual([])
  expect(at).toMatchObject({ doubtful: true, owed: 12, handed: 10 })
})
