import { hash } from 'node:crypto'
import { markup, nothing, textOf } from './markup.ts'
import type { Markup } from './markup.ts'
import { dark, light, variablesOf } from './palette.ts'

/** The only style, inline: a page makes no request of its own. */
const style = `
:root { color-scheme: light dark; ${variablesOf(light)} }
@media (prefers-color-scheme: dark) { :root { ${variablesOf(dark)} } }
* { box-sizing: border-box }
body { font: 1.0625rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); max-width: 60rem; margin: 0 auto; padding: 1rem }
a { color: var(--link) }
a:focus-visible, button:focus-visible, select:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip:not(:focus) { position: absolute; left: -999rem }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; padding: 0 }
nav a { display: inline-block; padding: .25rem 0 }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 1.75rem 0 .75rem; overflow-wrap: anywhere }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem }
p, dd, li { overflow-wrap: anywhere }
p { max-width: 42rem }
.lead { font-size: 1.1875rem }
.tag { display: inline-block; white-space: nowrap; padding: .0625rem .5rem; border-radius: .25rem; font-weight: 600 }
.good { background: var(--good); color: var(--good-text) }
.bad { background: var(--bad); color: var(--bad-text) }
.uncertain { background: var(--uncertain); color: var(--uncertain-text) }
.silent { background: var(--silent); color: var(--silent-text) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: var(--muted); padding: .25rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .5rem 1.25rem .5rem 0; text-align: left; vertical-align: top }
thead th { color: var(--muted) }
td:last-child { min-width: 8rem }
.even { table-layout: fixed; min-width: 24rem }
.even caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.number { text-align: right; font-variant-numeric: tabular-nums }
time { font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem }
dt { color: var(--muted) }
dd { margin: 0 }
form { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: 1rem 0 }
label { display: block }
select, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .375rem; padding: .5rem .875rem; min-height: 2.75rem }
button { font-weight: 600; cursor: pointer }
.muted, footer { color: var(--muted) }
footer { margin-top: 3rem; border-top: 1px solid var(--line) }
@media (max-width: 40rem) { time { white-space: normal } }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } }
`

/** Nothing but this style and this site's own forms; nobody frames a page to steal its clicks. */
export const answerPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/**
 * A whole page, HTML 5.
 * @param page.url the address to cite; a page without one is for its reader alone and not indexed
 * @param page.json where a program reads the same, below the site
 */
export const framePage = (page: {
  title: string
  description: string
  url?: string
  json?: string
  main: Markup
}): string =>
  textOf(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.description}">
${page.url === undefined ? markup`<meta name="robots" content="noindex">` : markup`<link rel="canonical" href="${page.url}">`}
<title>${page.title} - Probe Mesh</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#answer">Skip to the answer</a>
<header>
<nav aria-label="Answers"><ul>
<li><a href="/services">Services</a></li>
<li><a href="/internet">The internet</a></li>
<li><a href="/weather">Weather</a></li>
</ul></nav>
</header>
<main id="answer">
${page.main}
</main>
<footer>
<p>Probe Mesh says what its own probes measured, and what it has not measured it calls no data.</p>
${page.json === undefined ? nothing : markup`<p><a href="${page.json}">This answer as JSON</a></p>`}
</footer>
</body>
</html>
`)
