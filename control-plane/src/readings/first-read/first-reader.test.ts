import type { StreamMessage } from '@probe-mesh/bus/port'
import { expect, test } from 'vitest'
import { createSetAside } from '../poison.ts'
import { readCarefully, createReadingsReader, createFirstReader } from './first-reader.ts'

/** A thread whose messages define how their reader fails. */
const thread = new URL('testing/mortal-thread.ts', import.meta.url)
const nowMs = Date.now()
const messageOf = (text: string, index: number): StreamMessage => ({
  partition: 3,
  sequence: index + 1,
  data: Buffer.from(text),
  storedAt: nowMs,
})
const messages = ['well', 'throws', 'well', 'fills', 'loops', 'well', 'exits'].map(messageOf)
const textOf = ({ data }: StreamMessage): string => Buffer.from(data).toString()

const carefully = async (
  read: readonly StreamMessage[],
  { afterDeath, reader }: { afterDeath: boolean; reader?: URL },
) => {
  const firstReader =
    reader === undefined ? createReadingsReader() : createFirstReader(reader, { cpuMsMax: 500 })
  const setAside = createSetAside()
  const lines: unknown[] = []
  const look = readCarefully({
    lease: { partition: 3, afterDeath },
    kind: 'readings',
    firstReader,
    setAside,
    log: { error: (line: unknown) => void lines.push(line) },
    now: () => nowMs,
  })
  await look(read)
  return { look, lines, setAside, firstReader }
}

test('after a crash, exactly the messages that crash a reader are set aside: by error, memory, time or exit', async () => {
  const { lines, setAside, firstReader } = await carefully(messages, { afterDeath: true, reader: thread })
  const aside = messages.filter((message) => setAside.has(message))
  expect(aside.map(textOf)).toEqual(['throws', 'fills', 'loops', 'exits'])
  expect(lines).toEqual(aside.map(({ sequence }) => ({ partition: 3, sequence, kind: 'readings' })))
  await firstReader.close()
})

test('a partition handed over in order is read without a first read', async () => {
  const { setAside } = await carefully(messages, { afterDeath: false, reader: thread })
  expect(messages.filter((message) => setAside.has(message))).toEqual([])
})

test('messages newer than the takeover are read without a first read', async () => {
  const later = { ...messageOf('throws', 20), storedAt: nowMs + 120_000 }
  const { look, setAside } = await carefully([later], { afterDeath: true, reader: thread })
  await look(messages)
  expect([later, ...messages].filter((message) => setAside.has(message))).toEqual([])
})

test('a message set aside is not tried again, unlike the same sequence of a new stream', async () => {
  const fatal = messageOf('throws', 1)
  const { look, lines, setAside, firstReader } = await carefully([fatal], {
    afterDeath: true,
    reader: thread,
  })
  await look([fatal])
  expect(lines).toHaveLength(1)
  expect(setAside.has({ ...fatal, storedAt: fatal.storedAt + 1 })).toBe(false)
  await firstReader.close()
})

test('sets nothing aside if the thread does not start', async () => {
  const nowhere = new URL('nowhere.ts', import.meta.url)
  const { lines, setAside } = await carefully(messages, { afterDeath: true, reader: nowhere })
  expect(messages.filter((message) => setAside.has(message))).toEqual([])
  expect(lines).toMatchObject([{ partition: 3, kind: 'readings' }])
})

test('our own readers survive any message', async () => {
  const hostile = [
    '['.repeat(400_000),
    `{"version":1,"readings":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}`,
    '\0\u{d800}',
    '',
  ].map(messageOf)
  const errorsThread = new URL(import.meta.resolve('@probe-mesh/error-tracking/persist/first-read-thread'))
  for (const firstReader of [createReadingsReader(), createFirstReader(errorsThread)]) {
    expect(await firstReader.fatalOf(hostile)).toEqual([])
    await firstReader.close()
  }
})
