import { dark, light, variablesOf } from '../html/palette.ts'
import { answerStyle } from './answer-style.ts'
import { chartStyle } from './chart-style.ts'
import { checkFormStyle } from './check-form-style.ts'
import { dashboardStyle } from './dashboard-style.ts'
import { errorStyle } from './error-style.ts'
import { formStyle } from './form-style.ts'
import { homeStyle } from './home-style.ts'
import { liveStyle } from './live-style.ts'
import { mapStyle } from './map-style.ts'
import { messageStyle } from './message-style.ts'
import { publishStyle } from './publish-style.ts'
import { statusStyle } from './status-style.ts'

const base = `
:root { color-scheme: light dark; ${variablesOf(light)} }
@media (prefers-color-scheme: dark) { :root { ${variablesOf(dark)} } }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: .5rem; top: .5rem; padding: .5rem 1rem; background: var(--ground); z-index: 1 }
.skip:not(:focus) { left: -999rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
h1 { font-size: 1.625rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere }
h2 { font-size: 1.1875rem; margin: 2rem 0 .5rem }
p, dd, li { overflow-wrap: anywhere }
p { max-width: 42rem }
code, pre, kbd { font: .9375em ui-monospace, monospace }
pre { background: var(--raised); padding: .75rem 1rem; border-radius: .375rem; white-space: pre-wrap; overflow-wrap: anywhere }
code { overflow-wrap: anywhere }
time { font-variant-numeric: tabular-nums; white-space: nowrap }
.muted { color: var(--muted) }
.tag { display: inline-block; white-space: nowrap; padding: .0625rem .5rem; border-radius: .25rem; font-weight: 600 }
.good { background: var(--good); color: var(--good-text) }
.bad { background: var(--bad); color: var(--bad-text) }
.uncertain { background: var(--uncertain); color: var(--uncertain-text) }
.silent { background: var(--silent); color: var(--silent-text) }
.scroll { overflow-x: auto; position: relative }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: var(--muted); padding: .25rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .5rem 1.25rem .5rem 0; text-align: left; vertical-align: top }
thead th { color: var(--muted); font-weight: 600; white-space: nowrap }
tbody th { font-weight: 600 }
td:last-child:not(:first-child) { min-width: 9rem }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0 }
dt { color: var(--muted) }
dd { margin: 0 }
footer { color: var(--muted) }
@media (max-width: 40rem) { time { white-space: normal } dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: background-color .1s } }
@media print { nav, .skip, form, .actions { display: none } body { color: #000; background: #fff } }
`

/** The one style sheet of all pages, light and dark by the reader's choice, plain on paper. */
export const style = [
  base,
  formStyle,
  checkFormStyle,
  answerStyle,
  chartStyle,
  dashboardStyle,
  errorStyle,
  homeStyle,
  liveStyle,
  mapStyle,
  messageStyle,
  publishStyle,
  statusStyle,
].join('')
