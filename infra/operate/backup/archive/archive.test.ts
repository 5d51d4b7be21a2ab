import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { testFolder } from '../../../testing/folder.ts'
import { beforeAll, expect, test } from 'vitest'
import { ArchiveRefused, formatVersion, type Manifest } from './format.ts'
import { openArchive, verifyArchive } from './read-archive.ts'
import { openArchiveWriter } from './write-archive.ts'

const secret = 'correct horse battery staple'
const planted = 'discord.example/webhook/planted-secret'
/** Key derivation is slow on purpose; here it takes a millisecond. */
const workFactor = 4

const folder = testFolder('probe-mesh-archive-')
const about: Omit<Manifest, 'parts' | 'format'> = {
  product: '0.1.0',
  takenAt: '2026-11-22T10:00:00.000Z',
  regions: ['fra'],
  postgres: { version: '18.4', migrations: ['0001.sql'], sequences: [{ name: 'a_seq', last: 7 }] },
  clickhouse: null,
  errorBatchesOpen: 0,
}
const columns = ['id', 'name']
const rowsOf = (chunk: Uint8Array) => Buffer.from(chunk).toString().split('\n').length - 1

const first = join(folder, 'first')
let bytes: Buffer
beforeAll(async () => {
  const writer = await openArchiveWriter(first, secret, workFactor)
  const chunks = [`1\t${planted}\n2\tb\n`, '3\tc\n'].map((text) => Buffer.from(text))
  await writer.table({ store: 'postgres', name: 'checks', columns }, chunks, rowsOf)
  await writer.table({ store: 'postgres', name: 'outbox', columns }, [], rowsOf)
  await writer.file('data/secrets.key', Buffer.from(planted))
  await writer.file('nats/empty', Buffer.of())
  expect(await writer.finish(about)).toBe((await readFile(first)).length)
  bytes = await readFile(first)
})

/** The tar of the first archive, and an archive of a changed tar: the owner of the key can make any. */
const tarOfFirst = async (): Promise<Buffer> => {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(secret)
  return zstdDecompressSync(await decrypter.decrypt(bytes))
}
const archiveOf = async (name: string, tar: Uint8Array): Promise<string> => {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(secret)
  encrypter.setScryptWorkFactor(workFactor)
  await writeFile(join(folder, name), await encrypter.encrypt(zstdCompressSync(tar)))
  return join(folder, name)
}

/** Why an archive is refused; null: it can be restored. */
const problemOf = async (path: string, key = secret): Promise<string | null> => {
  const opened = await openArchive(path, key)
  if (!opened.ok) return opened.problem
  try {
    await verifyArchive(opened.archive)
    return null
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    return error.message
  } finally {
    await opened.archive.close()
  }
}
const problemOfBytes = async (content: Uint8Array): Promise<string | null> => {
  const path = join(folder, 'changed')
  await writeFile(path, content)
  return problemOf(path)
}

test('reads back exactly what was written, and leaves no other file', async () => {
  expect(await readdir(folder)).toEqual(['first'])
  const opened = await openArchive(first, secret)
  if (!opened.ok) throw new Error(opened.problem)
  const { archive } = opened
  const { manifest, tables, files } = await verifyArchive(archive)
  expect(manifest).toMatchObject({ ...about, format: formatVersion })
  expect(manifest.parts).toMatchObject([
    { store: 'postgres', name: 'checks', rows: 3, bytes: planted.length + 11 },
    { store: 'postgres', name: 'outbox', rows: 0, bytes: 0 },
    { store: 'file', name: 'data/secrets.key', rows: null },
    { store: 'file', name: 'nats/empty', rows: null, bytes: 0 },
  ])
  expect(tables).toMatchObject(['checks', 'outbox'].map((name) => ({ name, columns })))
  expect(files).toEqual([
    { name: 'data/secrets.key', bytes: Buffer.from(planted) },
    { name: 'nats/empty', bytes: Buffer.of() },
  ])
  const pieces: string[] = []
  for await (const piece of archive.pieces()) {
    pieces.push(piece.kind === 'data' ? piece.bytes.toString() : piece.kind)
  }
  expect(pieces.slice(0, 5)).toEqual(['part', `1\t${planted}\n2\tb\n`, '3\tc\n', 'part', 'part'])
  await archive.close()
})

test('reads a part of an archive, and closes it', async () => {
  const opened = await openArchive(first, secret)
  if (!opened.ok) throw new Error(opened.problem)
  for await (const piece of opened.archive.pieces()) if (piece.kind === 'data') break
  await opened.archive.close()
})

test('is a tar, compressed with zstd, in a file of age with a passphrase', async () => {
  expect(bytes.toString('latin1').split('\n').slice(0, 2)).toEqual([
    'age-encryption.org/v1',
    expect.stringMatching(/^-> scrypt [\w+/]{22} 4$/),
  ])
  const input = await tarOfFirst()
  expect(execFileSync('tar', ['-t'], { input }).toString().trim().split('\n')).toEqual([
    'postgres/checks/columns.json',
    'postgres/checks/000001.tsv',
    'postgres/checks/000002.tsv',
    'postgres/outbox/columns.json',
    'file/data/secrets.key',
    'file/nats/empty',
    'manifest.json',
  ])
  expect(execFileSync('tar', ['-xO', 'postgres/checks/columns.json'], { input }).toString()).toBe(
    `${JSON.stringify(columns, null, 2)}\n`,
  )
})

test('opens what age 1.1, zstd and GNU tar packed', async () => {
  const path = join(import.meta.dirname, 'testing/by-other-tools.tar.zst.age')
  expect(await problemOf(path)).toBeNull()
})

test('reveals nothing of its content, including names', () => {
  for (const text of [planted, secret, 'checks', 'secrets.key', 'webhook']) {
    expect(bytes.includes(text)).toBe(false)
  }
})

test('distinguishes a wrong key from a damaged file', async () => {
  expect(await problemOf(first, `${secret}!`)).toMatch(/was written with another key/)
  expect(await problemOf(first)).toBeNull()
})

const refused = /is truncated|was changed|not a Probe Mesh backup|damaged header|written with another key/

test('refuses a file truncated at any point', async () => {
  for (let length = 0; length < bytes.length; length += 7) {
    expect(await problemOfBytes(bytes.subarray(0, length)), `${length} bytes`).toMatch(refused)
  }
})

test('refuses a file with any changed byte, or with bytes after its end', async () => {
  for (let at = 0; at < bytes.length; at += 7) {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    expect(await problemOfBytes(copy), `byte ${at}`).toMatch(refused)
  }
  expect(await problemOfBytes(Buffer.concat([bytes, Buffer.of(0)]))).toMatch(/was changed/)
})

test('refuses a large file that lacks a whole block, or has two of them in another order', async () => {
  const path = join(folder, 'large')
  const writer = await openArchiveWriter(path, secret, workFactor)
  await writer.file('data/noise', randomBytes(400_000))
  await writer.finish(about)
  expect(await problemOf(path)).toBeNull()
  const whole = await readFile(path)
  const start = whole.indexOf('\n--- ') + '\n--- '.length + 43 + 1 + 16
  const block = 64 * 1024 + 16
  const at = (index: number): Buffer => whole.subarray(start + index * block, start + (index + 1) * block)
  const head = whole.subarray(0, start)
  const rest = whole.subarray(start + 3 * block)
  expect(await problemOfBytes(Buffer.concat([head, at(0), at(1), at(2), rest]))).toBeNull()
  expect(await problemOfBytes(Buffer.concat([head, at(0), at(2), at(1), rest]))).toMatch(refused)
  expect(await problemOfBytes(Buffer.concat([head, at(0), at(2), rest]))).toMatch(refused)
  expect(await problemOfBytes(Buffer.concat([head, at(0), at(1)]))).toMatch(refused)
})

test('refuses a newer format and an unknown entry with what to do', async () => {
  const tar = (await tarOfFirst()).toString('latin1')
  const newer = Buffer.from(tar.replace('"format": 2', '"format": 3'), 'latin1')
  expect(await problemOf(await archiveOf('newer', newer))).toMatch(
    /format 3.*Restore it with a newer version/,
  )
  const unknown = new Uint8Array(execFileSync('tar', ['-c', '-C', import.meta.dirname, 'format.ts']))
  expect(await problemOf(await archiveOf('unknown', unknown))).toMatch(
    /the entry format\.ts, which this version does not know\. Restore it with a newer version/,
  )
})

test('refuses content that differs from the manifest', async () => {
  const tar = (await tarOfFirst()).toString('latin1')
  const changed = Buffer.from(tar.replace('3\tc\n', '3\td\n'), 'latin1')
  expect(await problemOf(await archiveOf('other', changed))).toMatch(/checks differs from the manifest/)
})

test('never overwrites a file, and an unfinished one leaves nothing', async () => {
  await expect(openArchiveWriter(first, secret)).rejects.toThrow('exists. Choose another name')
  const writer = await openArchiveWriter(join(folder, 'unfinished'), secret, workFactor)
  await writer.file('data/secrets.key', Buffer.from(planted))
  await writer.abandon()
  expect((await readdir(folder)).filter((name) => name.startsWith('unfinished'))).toEqual([])
})
