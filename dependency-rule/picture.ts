import { floorsOf } from './judge-imports.ts'
import type { Package } from './room.ts'

const begin = '<!-- rooms: written by `npm run docs` -->'
const end = '<!-- end of rooms -->'

/** Rooms without those that only tests use. */
const built = (one: Package): Package => ({
  ...one,
  rooms: one.rooms.filter(({ name }) => name !== 'testing' && name !== 'contract-suite'),
})

const floors = (one: Package): string[] => [
  '```',
  ...floorsOf(built(one)).map((rooms) => rooms.map(({ name }) => name).join('   ')),
  '```',
]

const list = (rows: readonly { name: string; about: string }[]): string[] =>
  rows.map(({ name, about }) => `- \`${name}\`: ${about}`)

/**
 * Writes the picture of the rule into the text of `ARCHITECTURE.md`: every package, and the rooms of the
 * control plane by floor, top floor first.
 * @throws if the text has no markers for it
 */
export const withPicture = (text: string, packages: readonly Package[]): string => {
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  const plane = packages.find(({ name }) => name === 'control-plane')
  if (before === undefined || after === undefined || plane === undefined) {
    throw new Error(`the text lacks the markers "${begin}" and "${end}"`)
  }
  const lines = [
    begin,
    '',
    ...list(packages),
    '',
    '`control-plane/src`, one floor a line. A folder imports only folders on lower floors:',
    '',
    ...floors(plane),
    '',
    ...list(built(plane).rooms),
    '',
    end,
  ]
  return before + lines.join('\n') + after
}
