import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import { breadcrumb, pageHead, type Crumb, type PageHead } from './components/page-head.ts'
import { toastRegion, type DoneWord } from './components/toast.ts'
import { documentOf, type Assets } from './document.ts'
import { siteFooter, siteHeader, type PageForms, type SiteArea } from './site-frame.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'

/**
 * A public page that answers a question. It uses no session and records no visits. With an address to cite it
 * updates itself (islands/fresh.js), except documents.
 */
export type AnswerPage = Omit<PageHead, 'title'> & {
  title: string
  /** The first heading, if it says more than the title. null: the page has its own heading. */
  heading?: Html | null
  /** Text of links to the page, if the title is a question. */
  linkTitle?: string
  description: string
  /** null: the page belongs to no area. */
  area: SiteArea | null
  crumbs?: readonly Crumb[]
  /** The address to cite. A page without one is for one reader and is not indexed. */
  url?: string
  /** The same content for programs and assistants. */
  forms?: PageForms
  evidence?: Evidence
  /** Whether the page reports an outage; its icon shows it. */
  isBad?: boolean
  /** The action that the reader just completed. */
  done?: DoneWord | null
  main: Html
}

export const answerPage = (assets: Assets, page: AnswerPage): string => {
  const { heading = html`${page.title}`, forms, evidence, done = null } = page
  const isFresh = page.url !== undefined && page.area !== 'docs'
  return documentOf(assets, {
    title: `${page.title} - Probe Mesh`,
    linkTitle: page.linkTitle ?? page.title,
    description: page.description,
    ...(page.isBad === true ? { state: 'bad' } : {}),
    ...(page.url === undefined ? {} : { canonical: page.url }),
    ...(forms === undefined
      ? {}
      : {
          head: html`<link rel="alternate" type="text/markdown" href="${forms.markdown}" />
            <link rel="alternate" type="application/json" href="${forms.json}" />`,
        }),
    body: html`<body class="site answers">
      <a class="skip" href="#main">Skip to the answer</a>
      ${siteHeader(page.area)}
      <main id="main" tabindex="-1" ${attribute('data-fresh', isFresh ? '' : null)}>
        ${toastRegion(done === null ? null : { word: done, undo: null })} ${breadcrumb(page.crumbs ?? [])}
        ${heading !== null && pageHead({ ...page, title: heading })} ${page.main}
      </main>
      ${siteFooter({ forms, evidence })}
    </body>`,
  })
}
