/** Of the public pages that answer from our own measurements. */
export const answerStyle = `
.answers > header, .answers > main, .answers > footer { max-width: 64rem; margin: 0 auto; padding: 0 1rem }
.answers > header { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: center; padding-top: .5rem; padding-bottom: .5rem; border-bottom: 1px solid var(--line) }
.answers > main { padding-top: 1.5rem; padding-bottom: 2rem }
.answers > footer { border-top: 1px solid var(--line); padding-top: .75rem; padding-bottom: 2rem }
.answers nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .125rem; margin: 0; padding: 0 }
.answers nav li a { display: block; padding: .5rem .75rem; border-radius: .375rem; text-decoration: none; color: inherit }
.answers nav a:hover { background: var(--silent) }
.answers nav a[aria-current=page] { background: var(--silent); color: var(--silent-text); font-weight: 600 }
.answers .lead { font-size: 1.1875rem }
.answers .counts, .answers .plainly { list-style: none; margin: .5rem 0; padding: 0 }
.answers .counts { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem }
.answers .counts a { display: inline-block; padding: .25rem 0 }
.answers [role=search] .actions { align-items: end }
.answers .listed table { table-layout: fixed; min-width: 34rem }
.answers .listed caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.answers form .field { flex: 0 1 16rem }
`
