import { html, textOf } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { labelProblems } from './components/label-problems.ts'

/** Where the assets of the pages are: each name has a hash of its content in it. */
export type Assets = {
  readonly style: string
  /** null: the page runs none, as one that is only looked at. */
  readonly script: string | null
  readonly icon: string
  /** All icons, each a symbol with its name as id. */
  readonly icons: string
  /** Of text; loaded with the page. */
  readonly font: string
  /** Scripts of parts that only some pages have, by name. */
  readonly modules: Readonly<Record<string, string>>
}

/** Elements name icons and modules by these; a user's text has no quotes, so it cannot contain one. */
const assetName = /"\/(icons|module)#([a-z-]+)"/g

/** Gives the assets that elements of a page name their paths. */
const linkAssets = (page: string, { icons, modules }: Assets): string =>
  page.replaceAll(assetName, (_, kind: string, name: string) =>
    kind === 'icons' ? `"${icons}#${name}"` : `"${modules[name] ?? ''}"`,
  )

/**
 * A whole page, HTML 5.
 * @param page.canonical the address to cite; a page without one is for its reader alone, not indexed
 */
export const documentOf = (
  assets: Assets,
  page: {
    title: string
    language?: string
    description?: string
    canonical?: string
    /** What else belongs into the head. */
    head?: Html
    body: Html
  },
): string =>
  labelProblems(
    linkAssets(
      textOf(
        html`<!doctype html>
          <html lang="${page.language ?? 'en'}">
            <head>
              <meta charset="utf-8" />
              <meta name="viewport" content="width=device-width, initial-scale=1" />
              ${page.description !== undefined && html`<meta name="description" content="${page.description}" />`}
              ${
                page.canonical === undefined
                  ? html`<meta name="robots" content="noindex" />`
                  : html`<link rel="canonical" href="${page.canonical}" />`
              }
              <title>${page.title}</title>
              <link rel="icon" type="image/svg+xml" href="${assets.icon}" />
              <link rel="preload" as="font" type="font/woff2" href="${assets.font}" crossorigin="anonymous" />
              <link rel="stylesheet" href="${assets.style}" />
              ${page.head ?? null}
              ${assets.script !== null && html`<script type="module" blocking="render" src="${assets.script}"></script>`}
            </head>
            ${page.body}
          </html> `,
      ),
      assets,
    ),
  )
