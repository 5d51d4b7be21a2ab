import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { expect, test } from 'vitest'
import { readBundle } from './read-bundle.ts'
import { bundleOf, debugIdA, smallMap, zipOf } from './testing/zip.ts'

const path = 'files/_/_/~/app.js.map'
const mapFile = (headers: object = { 'debug-id': debugIdA }) => ({
  [path]: { type: 'source_map', url: '~/app.js.map', headers },
})

test.each([
  ['in the format of sentry-cli', bundleOf()],
  [
    'without the leading mark',
    zipOf([
      { name: 'manifest.json', data: JSON.stringify({ files: mapFile() }) },
      { name: path, data: smallMap() },
    ]),
  ],
  [
    'with a debug id in another format',
    bundleOf(mapFile({ 'Debug-Id': debugIdA.toUpperCase().replaceAll('-', '') })),
  ],
  [
    'with a built file, which is skipped',
    bundleOf({
      ...mapFile(),
      'files/_/_/~/app.js': { type: 'minified_source', headers: { 'debug-id': debugIdA } },
    }),
  ],
])('reads the maps of a bundle %s', async (_what, bytes) => {
  const maps = await readBundle(bytes)
  expect(maps).toEqual([expect.objectContaining({ debugId: debugIdA, file: '~/app.js.map' })])
})

const large = Buffer.alloc(sourceMapLimits.mapUnpackedBytesMax + 1, 0x20)
const many = Array.from({ length: sourceMapLimits.bundleFilesMax + 1 }, (_, n) => ({
  name: `f${n}`,
  data: '',
}))

test.each<[string, Buffer, RegExp]>([
  ['no bytes', Buffer.alloc(0), /cannot be read/],
  [
    'text instead of a zip',
    Buffer.from('no zip at all, but long enough to look for an end of one'),
    /cannot be read/,
  ],
  ['a truncated zip', bundleOf().subarray(0, -30), /cannot be read/],
  ['no manifest', zipOf([{ name: 'a', data: 'b' }]), /no manifest/],
  ['an invalid manifest', zipOf([{ name: 'manifest.json', data: '{' }]), /no manifest/],
  ['no map', bundleOf({}, []), /no source map/],
  ['a map without a debug id', bundleOf(mapFile({})), /sourcemaps inject/],
  ['a missing map', bundleOf(mapFile(), []), /not in the bundle/],
  ['an invalid map', bundleOf(mapFile(), [{ name: path, data: 'x' }]), /app\.js\.map: not JSON/],
  [
    'a map of another version',
    bundleOf(mapFile(), [{ name: path, data: smallMap({ version: 2 }) }]),
    /version 3/,
  ],
  [
    'a map with too many segments',
    bundleOf(mapFile(), [{ name: path, data: smallMap({ mappings: ';'.repeat(1_500_000) }) }]),
    /mappings/,
  ],
  ['a zip bomb with its real size', bundleOf(mapFile(), [{ name: path, data: large }]), /larger than/],
  [
    'a zip bomb with a false size',
    bundleOf(mapFile(), [{ name: path, data: large, claimed: 100 }]),
    /cannot be read/,
  ],
  [
    'a path outside its folder',
    bundleOf(mapFile(), [{ name: '../../etc/cron.d/x', data: 'x' }]),
    /cannot be read/,
  ],
  ['an absolute path', bundleOf(mapFile(), [{ name: '/etc/passwd', data: 'x' }]), /cannot be read/],
  ['a Windows path', bundleOf(mapFile(), [{ name: 'C:\\x', data: 'x' }]), /cannot be read/],
  [
    'two files with one name',
    bundleOf(mapFile(), [
      { name: path, data: smallMap() },
      { name: path, data: smallMap() },
    ]),
    /two files/,
  ],
  ['too many files', zipOf(many), /more than 2000 files/],
])('refuses a bundle with %s and names the reason', async (_what, bytes, why) => {
  const refusal = await readBundle(bytes)
  expect(isRefusal(refusal) && refusal).toMatchObject({
    refused: 'SV-2101',
    message: expect.stringMatching(why),
  })
})
