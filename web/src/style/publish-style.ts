export const publishStyle = `
.timeline { list-style: none; margin: 0; padding: 0; max-width: 42rem }
.timeline li { border-left: 3px solid var(--line); padding: 0 0 1rem 1rem }
.timeline p { margin: 0 0 .25rem }
.prose { white-space: pre-wrap }
.plain-list { list-style: none; margin: 0; padding: 0 }
.pair { display: grid; gap: .5rem 1rem; max-width: 34rem; margin: 0 0 .75rem }
@media (min-width: 40rem) { .pair { grid-template-columns: 1fr 1.5fr } }
`
