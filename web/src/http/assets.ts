import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import type { FastifyInstance } from 'fastify'
import type { Assets } from '../html/document.ts'
import { textOf } from '@probe-mesh/runtime/html'
import { spriteOf } from '../html/components/icon.ts'
import { mark, stateMarks, type MarkState } from '../html/components/mark.ts'
import { stateIcon, stateIconPath, stateTones } from '../html/components/state-icon.ts'
import { styleOf } from '../style/style.ts'
import { codingFor, compressOnce } from '@probe-mesh/runtime/compress'

type Asset = { name: string; type: string; content: string | Buffer }

/** The name contains a hash of the content, so browsers may cache it forever. */
const pathOf = ({ name, content }: Asset): string => {
  const [stem, extension] = name.split('.')
  return `/assets/${stem}-${hash('sha256', content, 'base64url').slice(0, 12)}.${extension}`
}

const fontAsset = (name: string, file: string): Asset => ({
  name,
  type: 'font/woff2',
  content: readFileSync(new URL(import.meta.resolve(`@fontsource-variable/${file}`))),
})
const textFont = fontAsset('inter.woff2', 'inter/files/inter-latin-wght-normal.woff2')
const codeFont = fontAsset(
  'jetbrains-mono.woff2',
  'jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
)

const styleAsset: Asset = {
  name: 'pages.css',
  type: 'text/css; charset=utf-8',
  content: styleOf(
    (file) => readFileSync(new URL(`../style/${file}.css`, import.meta.url), 'utf8'),
    Object.fromEntries([textFont, codeFont].map((font) => [font.name, pathOf(font)])),
  ),
}

const island = (name: string): string =>
  readFileSync(new URL(`../islands/${name}.js`, import.meta.url), 'utf8')

/**
 * The script of every page, in plain JavaScript, since Node 24 still calls type stripping experimental. The
 * first two parts define global names; every other part has its own scope.
 */
const scriptAsset: Asset = {
  name: 'pages.js',
  type: 'text/javascript; charset=utf-8',
  content: [
    readFileSync(new URL(import.meta.resolve('idiomorph').replace('.esm.js', '.min.js')), 'utf8'),
    island('page'),
    ...['times', 'live', 'menus', 'rows', 'days', 'preview', 'awaited', 'copy', 'fresh', 'keys'].map(
      (name) => `{\n${island(name)}}`,
    ),
  ].join('\n'),
}

const searchFile = new URL(import.meta.resolve('@leeoniya/ufuzzy').replace('.cjs', '.iife.min.js'))

/** Parts that only some pages have. A page refers to one as `/module#chart`. */
const moduleAssets: Asset[] = [
  ...['chart', 'docs', 'page-editor', 'find', 'password', 'palette'].map((name) => ({
    name,
    content: island(name),
  })),
  // a classic script, turned into a module
  { name: 'search', content: `${readFileSync(searchFile, 'utf8')}\nexport default uFuzzy\n` },
].map(({ name, content }) => ({ name: `${name}.js`, type: 'text/javascript; charset=utf-8', content }))

const svgAsset = (name: string, content: string): Asset => ({
  name: `${name}.svg`,
  type: 'image/svg+xml; charset=utf-8',
  content,
})
const iconAsset = svgAsset('icon', textOf(mark))
const stateMark = (state: MarkState): Asset => svgAsset(`icon-${state}`, textOf(stateMarks[state]))
const stateMarkAssets = {
  good: stateMark('good'),
  uncertain: stateMark('uncertain'),
  bad: stateMark('bad'),
} as const
const iconsAsset = svgAsset(
  'icons',
  textOf(
    spriteOf((file) =>
      readFileSync(new URL(import.meta.resolve(`heroicons/24/outline/${file}.svg`)), 'utf8'),
    ),
  ),
)

/** Drawn by `npm run docs` (infra/start/launch/drawings.ts). */
const [logosAsset, landAsset] = (['logos', 'land'] as const).map((name) =>
  svgAsset(name, readFileSync(new URL(`${name}.svg`, import.meta.url), 'utf8')),
) as [Asset, Asset]

/** Drawn by `npm run screens -- pictures`. */
const [touchIconAsset, socialAsset] = (['touch-icon', 'social'] as const).map((name): Asset => ({
  name: `${name}.png`,
  type: 'image/png',
  content: readFileSync(new URL(`${name}.png`, import.meta.url)),
})) as [Asset, Asset]

export const assets: Assets = {
  style: pathOf(styleAsset),
  script: pathOf(scriptAsset),
  icon: pathOf(iconAsset),
  stateIcons: {
    good: pathOf(stateMarkAssets.good),
    uncertain: pathOf(stateMarkAssets.uncertain),
    bad: pathOf(stateMarkAssets.bad),
  },
  touchIcon: pathOf(touchIconAsset),
  social: pathOf(socialAsset),
  icons: pathOf(iconsAsset),
  logos: pathOf(logosAsset),
  land: pathOf(landAsset),
  font: pathOf(textFont),
  modules: Object.fromEntries(moduleAssets.map((asset) => [asset.name.replace('.js', ''), pathOf(asset)])),
}

/** The icon in 32 pixels, for clients that request this name without reading a page. */
const favicon = readFileSync(new URL('favicon.ico', import.meta.url))
const faviconEtag = `"${hash('sha256', favicon, 'base64url').slice(0, 12)}"`

const pictures = [
  iconAsset,
  ...Object.values(stateMarkAssets),
  touchIconAsset,
  socialAsset,
  iconsAsset,
  logosAsset,
  landAsset,
]
const served = [styleAsset, scriptAsset, ...moduleAssets, textFont, codeFont, ...pictures]

export const bindAssets = (app: FastifyInstance): void => {
  for (const asset of served) {
    const { content } = asset
    // fonts and pictures are compressed already
    const compressed = typeof content === 'string' ? compressOnce(content) : null
    const path = pathOf(asset)
    app.get(path, async (request, reply) => {
      // the name already contains a hash of the content
      const etag = `"${path}"`
      reply
        .header('content-type', asset.type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding')
        .header('etag', `W/${etag}`)
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      const coding = compressed === null ? null : codingFor(request.headers['accept-encoding'])
      if (compressed === null || coding === null) return reply.send(content)
      return reply.header('content-encoding', coding).send(await compressed(coding))
    })
  }
  for (const tone of stateTones) {
    const icon = textOf(stateIcon(tone))
    app.get(stateIconPath(tone), (_request, reply) =>
      reply
        .header('content-type', 'image/svg+xml; charset=utf-8')
        .header('cache-control', 'public, max-age=86400')
        .send(icon),
    )
  }
  app.get('/favicon.ico', (request, reply) => {
    reply.header('cache-control', 'public, max-age=86400').header('etag', faviconEtag)
    if (matchesEtag(request.headers['if-none-match'], faviconEtag)) return reply.code(304).send()
    return reply.header('content-type', 'image/vnd.microsoft.icon').send(favicon)
  })
  app.get('/apple-touch-icon.png', (_request, reply) =>
    reply
      .header('content-type', touchIconAsset.type)
      .header('cache-control', 'public, max-age=86400')
      .send(touchIconAsset.content),
  )
}
