/** Whose words follow, for those who don't see that the person's are on a block. */
export function Speaker({ name }: { readonly name: string }) {
  return <h2 className="sr-only">{name}</h2>;
}
