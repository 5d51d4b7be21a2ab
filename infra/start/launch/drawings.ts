import { readFileSync } from 'node:fs'
import { optimize } from 'svgo'
import { feature } from 'topojson-client'
import type { Topology } from 'topojson-specification'
import { mapSize, outlineOf } from '@probe-mesh/web/charts/map/projection'
import { logoFiles } from '@probe-mesh/web/html/components/logo'

/** Drawings that pages refer to, made from data of packages that production does not install. */
export type Drawing = { path: string; text: string }

const textOf = (file: string): string =>
  readFileSync(new URL(import.meta.resolve(file, import.meta.url)), 'utf8')

const symbolsOf = (symbols: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`

/** The continents as one path. */
const drawLand = (): string => {
  const topology = JSON.parse(textOf('world-atlas/land-110m.json')) as Topology
  const { land } = topology.objects
  if (land === undefined) throw new Error('the atlas has no land')
  const path = outlineOf(feature(topology, land))
  const viewBox = `0 0 ${mapSize.width} ${mapSize.height}`
  return symbolsOf([`<symbol id="land" viewBox="${viewBox}"><path d="${shortPath(path)}"/></symbol>`])
}

/** Relative steps. A tenth of a unit is at most a tenth of a pixel in the pages. */
const shortPath = (path: string): string => {
  const { data } = optimize(`<svg xmlns="http://www.w3.org/2000/svg"><path d="${path}"/></svg>`, {
    plugins: [{ name: 'convertPathData', params: { floatPrecision: 1 } }],
  })
  return pathIn(data)
}

const pathIn = (svg: string): string => / d="([^"]+)"/.exec(svg)?.[1] ?? ''

const drawLogos = (): string =>
  symbolsOf(
    [...new Set(logoFiles.values())]
      .toSorted()
      .map(
        (file) =>
          `<symbol id="${file}" viewBox="0 0 24 24"><path d="${shortPath(pathIn(textOf(`simple-icons/icons/${file}.svg`)))}"/></symbol>`,
      ),
  )

/** All drawings, each by its path in the repository. */
export const drawings = (): Drawing[] => [
  { path: 'web/src/http/land.svg', text: drawLand() },
  { path: 'web/src/http/logos.svg', text: drawLogos() },
]
