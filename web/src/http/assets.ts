import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Assets } from '../html/document.ts'
import { style } from '../style/style.ts'

type Asset = { name: string; type: string; text: string }

/** A name that changes with the content, so that browsers may keep it for ever. */
const pathOf = ({ name, text }: Asset): string => {
  const [stem, extension] = name.split('.')
  return `/assets/${stem}-${hash('sha256', text, 'base64url').slice(0, 12)}.${extension}`
}

const styleAsset: Asset = { name: 'pages.css', type: 'text/css; charset=utf-8', text: style }

/**
 * What runs in browsers, as it is written: JavaScript, since Node 24 still calls the taking out of
 * types experimental. Each script imports nothing and has its names for itself.
 */
const islands = ['times', 'live', 'awaited', 'copy'].map((name) =>
  readFileSync(new URL(`../islands/${name}.js`, import.meta.url), 'utf8'),
)

const scriptAsset: Asset = {
  name: 'pages.js',
  type: 'text/javascript; charset=utf-8',
  text: islands.map((text) => `{\n${text}}\n`).join(''),
}

export const assets: Assets = { style: pathOf(styleAsset), script: pathOf(scriptAsset) }

export const bindAssets = (app: FastifyInstance): void => {
  for (const asset of [styleAsset, scriptAsset]) {
    app.get(pathOf(asset), (_request, reply) =>
      reply
        .header('content-type', asset.type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .send(asset.text),
    )
  }
}
