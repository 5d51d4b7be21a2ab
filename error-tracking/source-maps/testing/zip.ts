import { crc32, deflateRawSync } from 'node:zlib'

type ZipEntry = {
  name: string
  data: Buffer | string
  /** The size in the directory, if it differs from the real one. */
  claimed?: number
}

/** A zip in the format of `sentry-cli`, optionally with false sizes. */
export const zipOf = (entries: readonly ZipEntry[], mark = Buffer.alloc(0)): Buffer => {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = mark.length
  for (const { name, data, claimed } of entries) {
    const raw = Buffer.from(data)
    const packed = deflateRawSync(raw)
    const nameBytes = Buffer.from(name)
    const sizes = Buffer.alloc(14)
    sizes.writeUInt32LE(crc32(raw), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(claimed ?? raw.length, 8)
    sizes.writeUInt16LE(nameBytes.length, 12)
    // version 2.0, names in UTF-8, deflated, no time
    const shared = Buffer.from([20, 0, 0, 8, 8, 0, 0, 0, 0, 0])
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04'),
      shared,
      sizes,
      Buffer.alloc(2),
      nameBytes,
      packed,
    ])
    const rest = Buffer.alloc(16)
    rest.writeUInt32LE(offset, 12)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, sizes, rest, nameBytes]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([mark, ...locals, directory, end])
}

/** A small map: line 1, column 1 of the built file is `src/cart.ts:2:3`, where `pay` is called. */
export const smallMap = (over: object = {}): string =>
  JSON.stringify({
    version: 3,
    sources: ['../src/cart.ts'],
    sourcesContent: ['export const checkout = () => {\n  pay(1)\n}\n'],
    names: [],
    mappings: 'AACE',
    ...over,
  })

export const debugIdA = 'aaaaaaaa-0000-4000-8000-00000000000a'

/** The bytes that `sentry-cli` writes before a zip. Offsets in the zip include them. */
const mark = Buffer.from('SYSB\x02\0\0\0', 'latin1')

/** A bundle; by default with one map. */
export const bundleOf = (
  files: Record<string, object> = {
    'files/_/_/~/app.js.map': {
      type: 'source_map',
      url: '~/app.js.map',
      headers: { 'debug-id': debugIdA },
    },
  },
  entries: readonly ZipEntry[] = [{ name: 'files/_/_/~/app.js.map', data: smallMap() }],
): Buffer => {
  const manifest = { name: 'manifest.json', data: JSON.stringify({ org: 'any', files }) }
  return zipOf([manifest, ...entries], mark)
}
