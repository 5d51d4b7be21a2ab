export const publishStyle = `
.preview { display: block; width: 100%; height: 36rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--ground) }
.preview-note { background: var(--uncertain); color: var(--uncertain-text); padding: .5rem 1rem; border-radius: .375rem; max-width: none }
.timeline { list-style: none; margin: 0; padding: 0; max-width: 42rem }
.timeline li { border-left: 3px solid var(--line); padding: 0 0 1rem 1rem }
.timeline p { margin: 0 0 .25rem }
.prose { white-space: pre-wrap }
.plain-list { list-style: none; margin: 0; padding: 0 }
.pair { display: grid; gap: .5rem 1rem; max-width: 34rem; margin: 0 0 .75rem }
@media (min-width: 40rem) { .pair { grid-template-columns: 1fr 1.5fr } }
`
