/** Of the bare address: the tallies it opens on, and its search box. */
export const homeStyle = `
.tallies { list-style: none; display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0 }
.tallies a { display: block; border: 1px solid var(--line); border-radius: .5rem; padding: .625rem 1rem; background: var(--raised); min-width: 7rem; color: inherit; text-decoration: none }
.tallies a:hover { border-color: var(--edge) }
.tallies b { display: block; font-size: 1.75rem; line-height: 1.25; font-variant-numeric: tabular-nums }
.search { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: 1.25rem 0 }
.answers .search .field { flex: 0 1 26rem; margin: 0 }
`
