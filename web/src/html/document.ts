import { attribute, html, textOf, type Html } from '@probe-mesh/runtime/html'
import type { MarkState } from './components/mark.ts'
import { labelProblems } from './components/label-problems.ts'
import type { Theme } from './theme.ts'

/** The paths of the assets of the pages; each name contains a hash of its content. */
export type Assets = {
  readonly style: string
  /** null: a page without a script. */
  readonly script: string | null
  readonly icon: string
  /** The icon with a dot, for each state of the account. */
  readonly stateIcons?: Readonly<Record<MarkState, string>>
  /** The icon as a picture, for the home screen of phones. */
  readonly touchIcon: string
  /** The preview picture of a link on other sites. */
  readonly social: string
  /** All icons, as symbols with their names as ids; so are logos and land. */
  readonly icons: string
  readonly logos: string
  readonly land: string
  /** The text font, loaded with the page. */
  readonly font: string
  /** Scripts of parts that only some pages have, by name. */
  readonly modules: Readonly<Record<string, string>>
}

const moduleName = /"\/module#([\da-z-]+)"/g

/**
 * Replaces references to symbols and modules in elements by the paths of assets. A user's text has no quotes,
 * so it cannot contain one.
 */
const linkAssets = (page: string, { icons, logos, land, modules }: Assets): string =>
  page
    .replaceAll('"/icons#', `"${icons}#`)
    .replaceAll('"/logos#', `"${logos}#`)
    .replaceAll('"/land#', `"${land}#`)
    .replace(moduleName, (_, name: string) => `"${modules[name] ?? ''}"`)

/**
 * A whole page, HTML 5.
 * @param page.canonical the address to cite; a page without one is for one reader and is not indexed
 */
export const documentOf = (
  assets: Assets,
  page: {
    title: string
    language?: string
    /** Chosen colours; else those of the reader's device. */
    theme?: Theme
    description?: string
    canonical?: string
    /** The icon of the tab; default: ours. */
    icon?: string
    /** The state in the icon; absent: none. */
    state?: MarkState
    /** The title of links to the page, if it differs from the page's title. */
    linkTitle?: string
    /** The link preview of a page under another brand; such a page has no manifest of ours either. */
    card?: Html
    /** In a font of the reader's device, and painted before its script has arrived. Default: in ours, and after it. */
    paintsEarly?: boolean
    /** More elements of the head. */
    head?: Html
    body: Html
  },
): string =>
  labelProblems(
    linkAssets(
      textOf(
        html`<!doctype html>
          <html lang="${page.language ?? 'en'}" ${attribute('class', classOf(page.theme))}>
            <head>
              <meta charset="utf-8" />
              <meta name="viewport" content="width=device-width, initial-scale=1" />
              ${page.description !== undefined && html`<meta name="description" content="${page.description}" />`}
              ${
                page.canonical === undefined
                  ? html`<meta name="robots" content="noindex" />`
                  : html`<link rel="canonical" href="${page.canonical}" />
                      ${page.card ?? cardOf(assets, { ...page, url: page.canonical })}`
              }
              <title>${page.title}</title>
              <link rel="icon" type="image/svg+xml" href="${page.icon ?? iconOf(assets, page.state)}" />
              ${
                page.card === undefined &&
                html`<link rel="apple-touch-icon" href="${assets.touchIcon}" />
                  <link rel="manifest" href="/manifest.webmanifest" />`
              }
              ${
                page.paintsEarly !== true &&
                html`<link
                  rel="preload"
                  as="font"
                  type="font/woff2"
                  href="${assets.font}"
                  crossorigin="anonymous"
                />`
              }
              <link rel="stylesheet" href="${assets.style}" />
              ${page.head ?? null} ${assets.script !== null && scriptElement(assets.script, page)}
            </head>
            ${page.body}
          </html> `,
      ),
      assets,
    ),
  )

const scriptElement = (source: string, { paintsEarly }: { paintsEarly?: boolean }): Html =>
  paintsEarly === true
    ? html`<script type="module" src="${source}"></script>`
    : html`<script type="module" blocking="render" src="${source}"></script>`

const classOf = (theme: Theme = 'system'): string | null => (theme === 'system' ? null : theme)

const iconOf = ({ icon, stateIcons }: Assets, state: MarkState | undefined): string =>
  state === undefined ? icon : (stateIcons?.[state] ?? icon)

/** The link preview on other sites (Open Graph). */
const cardOf = (
  { social }: Assets,
  page: { url: string; title: string; linkTitle?: string; description?: string },
): Html =>
  html`<meta property="og:type" content="website" />
    <meta property="og:site_name" content="Probe Mesh" />
    <meta property="og:title" content="${page.linkTitle ?? page.title}" />
    ${page.description !== undefined && html`<meta property="og:description" content="${page.description}" />`}
    <meta property="og:url" content="${page.url}" />
    <meta property="og:image" content="${new URL(social, page.url).href}" />
    <meta name="twitter:card" content="summary_large_image" />`
