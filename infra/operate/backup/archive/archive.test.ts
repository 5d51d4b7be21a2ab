import { copyFile, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatVersion, magic, type Manifest } from './format.ts'
import { ArchiveDamaged, openArchive, verifyArchive } from './read-archive.ts'
import { createSeal } from './seal.ts'
import { openArchiveWriter } from './write-archive.ts'

const secret = 'correct horse battery staple'
const planted = 'discord.example/webhook/planted-secret'

const folder = testFolder('probe-mesh-archive-')
beforeAll(async () => {
  await writeFirst()
})
afterAll(() => rm(folder, { recursive: true }))

const about: Omit<Manifest, 'parts' | 'format'> = {
  product: '0.1.0',
  takenAt: '2026-11-22T10:00:00.000Z',
  regions: ['fra'],
  postgres: { version: '18.4', migrations: ['0001.sql'], sequences: [{ name: 'a_seq', last: 7 }] },
  clickhouse: null,
  errorBatchesOpen: 0,
}
const rowsOf = (chunk: Uint8Array) => Buffer.from(chunk).toString().split('\n').length - 1

/** Key derivation is slow on purpose, so each seal is created once. */
const seals = new Map<string, ReturnType<typeof createSeal>>()
const makeSeal: typeof createSeal = (key, salt) => {
  const name = `${key} ${Buffer.from(salt).toString('hex')}`
  const seal = seals.get(name) ?? createSeal(key, salt)
  seals.set(name, seal)
  return seal
}

const first = (): string => join(folder, 'first')
const write = async (name: string): Promise<string> => {
  await copyFile(first(), join(folder, name))
  return join(folder, name)
}
const writeFirst = async (): Promise<void> => {
  const path = first()
  const writer = await openArchiveWriter(path, secret)
  const chunks = [`1\t${planted}\n2\tb\n`, '3\tc\n'].map((text) => Buffer.from(text))
  await writer.part({ store: 'postgres', name: 'checks', columns: ['id', 'name'] }, chunks, rowsOf)
  await writer.part({ store: 'file', name: 'data/secrets.key' }, [Buffer.from(planted)])
  await writer.finish(about)
}

const open = async (path: string, key = secret) => {
  const opened = await openArchive(path, key, makeSeal)
  if (!opened.ok) throw new Error(opened.problem)
  return opened.archive
}
const problemOf = async (path: string, key = secret): Promise<string | null> => {
  const opened = await openArchive(path, key, makeSeal)
  if (!opened.ok) return opened.problem
  try {
    await verifyArchive(opened.archive)
    return null
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error
    return error.message
  } finally {
    await opened.archive.close()
  }
}

test('reads back exactly what was written, and leaves no other file', async () => {
  const archive = await open(await write('whole'))
  const manifest = await verifyArchive(archive)
  expect(manifest).toMatchObject({ ...about, format: formatVersion })
  expect(manifest.parts).toMatchObject([
    { store: 'postgres', name: 'checks', rows: 3, bytes: planted.length + 11 },
    { store: 'file', name: 'data/secrets.key', rows: null },
  ])
  const pieces: string[] = []
  for await (const piece of archive.pieces()) {
    pieces.push(piece.kind === 'data' ? piece.bytes.toString() : piece.kind)
  }
  expect(pieces).toEqual(['part', `1\t${planted}\n2\tb\n`, '3\tc\n', 'part', planted, 'manifest'])
  await archive.close()
  expect(await readdir(folder)).toEqual(['first', 'whole'])
})

test('reveals nothing of its content, including names', async () => {
  const bytes = await readFile(await write('sealed'))
  for (const text of [planted, secret, 'checks', 'secrets.key', 'webhook']) {
    expect(bytes.includes(text)).toBe(false)
  }
})

test('distinguishes a wrong key from a damaged file', async () => {
  const path = await write('other-key')
  expect(await problemOf(path, `${secret}!`)).toMatch(/was written with another key/)
  expect(await problemOf(path)).toBeNull()
})

test('refuses a file truncated at any point', async () => {
  const bytes = await readFile(await write('cut'))
  const path = join(folder, 'cut-off')
  const lengths = [0, 5, magic.length, magic.length + 30, bytes.length - 1]
  for (let length = 200; length < bytes.length; length += 37) lengths.push(length)
  for (const length of lengths) {
    await writeFile(path, bytes.subarray(0, length))
    expect(await problemOf(path), `${length} of ${bytes.length} bytes`).toMatch(
      /is truncated|not a Probe Mesh backup|damaged header/,
    )
  }
})

test('refuses a file with any changed byte, or with bytes after its end', async () => {
  const bytes = await readFile(await write('changed'))
  const path = join(folder, 'changed-byte')
  const frames = bytes.indexOf('\n', magic.length) + 1
  for (let at = 0; at < bytes.length; at += at < frames ? 29 : 23) {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    await writeFile(path, copy)
    expect(await problemOf(path), `byte ${at}`).toMatch(
      /was changed|is truncated|not a Probe Mesh backup|damaged header|was written with another key|has format/,
    )
  }
  await writeFile(path, Buffer.concat([bytes, Buffer.of(0)]))
  expect(await problemOf(path)).toMatch(/was changed/)
})

test('refuses intact frames in another order', async () => {
  const bytes = await readFile(await write('order'))
  const start = bytes.indexOf('\n', magic.length) + 1
  const frames: Buffer[] = []
  for (let at = start; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at)
    frames.push(bytes.subarray(at, end))
    at = end
  }
  const [one, second, third, ...rest] = frames
  if (one === undefined || second === undefined || third === undefined) throw new Error('no frames')
  const path = join(folder, 'swapped')
  await writeFile(path, Buffer.concat([bytes.subarray(0, start), one, third, second, ...rest]))
  expect(await problemOf(path)).toMatch(/was changed/)
  await writeFile(path, Buffer.concat([bytes.subarray(0, start), one, second, ...rest]))
  expect(await problemOf(path)).toMatch(/was changed/)
})

test('refuses a newer format with what to do', async () => {
  const text = (await readFile(await write('newer'))).toString('latin1')
  const path = join(folder, 'newer-format')
  await writeFile(path, text.replace('"format":1', '"format":2'), 'latin1')
  expect(await problemOf(path)).toMatch(/format 2.*Restore it with a newer version/)
})

test('never overwrites a file, and an unfinished one leaves nothing', async () => {
  const path = await write('there')
  await expect(openArchiveWriter(path, secret)).rejects.toThrow('exists. Choose another name')
  const unfinished = join(folder, 'unfinished')
  const writer = await openArchiveWriter(unfinished, secret)
  await writer.part({ store: 'file', name: 'data/secrets.key' }, [Buffer.from(planted)])
  await writer.abandon()
  expect((await readdir(folder)).filter((name) => name.startsWith('unfinished'))).toEqual([])
})
