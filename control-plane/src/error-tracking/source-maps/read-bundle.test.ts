import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '@probe-mesh/contracts/error-tracking/source-map'
import { expect, test } from 'vitest'
import { readBundle } from './read-bundle.ts'
import { bundleOf, debugIdA, smallMap, zipOf } from './testing/zip.ts'

const path = 'files/_/_/~/app.js.map'
const mapFile = (headers: object = { 'debug-id': debugIdA }) => ({
  [path]: { type: 'source_map', url: '~/app.js.map', headers },
})

test.each([
  ['as it is', bundleOf()],
  [
    'without the mark in front of it',
    zipOf([
      { name: 'manifest.json', data: JSON.stringify({ files: mapFile() }) },
      { name: path, data: smallMap() },
    ]),
  ],
  [
    'with an id in other letters',
    bundleOf(mapFile({ 'Debug-Id': debugIdA.toUpperCase().replaceAll('-', '') })),
  ],
  [
    'beside a built file, which is left out',
    bundleOf({
      ...mapFile(),
      'files/_/_/~/app.js': { type: 'minified_source', headers: { 'debug-id': debugIdA } },
    }),
  ],
])('the maps of a bundle are read, %s', async (_what, bytes) => {
  const maps = await readBundle(bytes)
  expect(maps).toEqual([expect.objectContaining({ debugId: debugIdA, file: '~/app.js.map' })])
})

const large = Buffer.alloc(sourceMapLimits.mapUnpackedBytesMax + 1, 0x20)
const many = Array.from({ length: sourceMapLimits.bundleFilesMax + 1 }, (_, n) => ({
  name: `f${n}`,
  data: '',
}))

test.each<[string, Buffer, RegExp]>([
  ['nothing', Buffer.alloc(0), /cannot be read/],
  ['no zip', Buffer.from('no zip at all, but long enough to look for an end of one'), /cannot be read/],
  ['a zip that is cut', bundleOf().subarray(0, -30), /cannot be read/],
  ['no manifest', zipOf([{ name: 'a', data: 'b' }]), /no manifest/],
  ['a manifest that is no JSON', zipOf([{ name: 'manifest.json', data: '{' }]), /no manifest/],
  ['no map', bundleOf({}, []), /no source map/],
  ['a map without a debug id', bundleOf(mapFile({})), /sourcemaps inject/],
  ['a map that is not there', bundleOf(mapFile(), []), /not in the bundle/],
  ['a map that is no JSON', bundleOf(mapFile(), [{ name: path, data: 'x' }]), /app\.js\.map: not JSON/],
  [
    'a map of another version',
    bundleOf(mapFile(), [{ name: path, data: smallMap({ version: 2 }) }]),
    /version 3/,
  ],
  [
    'a map with more places than are read',
    bundleOf(mapFile(), [{ name: path, data: smallMap({ mappings: ';'.repeat(1_500_000) }) }]),
    /places/,
  ],
  ['a bomb that says so', bundleOf(mapFile(), [{ name: path, data: large }]), /larger than/],
  [
    'a bomb that does not',
    bundleOf(mapFile(), [{ name: path, data: large, claimed: 100 }]),
    /cannot be read/,
  ],
  [
    'a way out of its folder',
    bundleOf(mapFile(), [{ name: '../../etc/cron.d/x', data: 'x' }]),
    /cannot be read/,
  ],
  ['an absolute path', bundleOf(mapFile(), [{ name: '/etc/passwd', data: 'x' }]), /cannot be read/],
  ['a path of another system', bundleOf(mapFile(), [{ name: 'C:\\x', data: 'x' }]), /cannot be read/],
  [
    'two files of one name',
    bundleOf(mapFile(), [
      { name: path, data: smallMap() },
      { name: path, data: smallMap() },
    ]),
    /two files/,
  ],
  ['too many files', zipOf(many), /more than 2000 files/],
])('a bundle with %s is refused, with why', async (_what, bytes, why) => {
  const refusal = await readBundle(bytes)
  expect(isRefusal(refusal) && refusal).toMatchObject({
    refused: 'SV-2101',
    message: expect.stringMatching(why),
  })
})
