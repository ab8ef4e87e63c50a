-- Both forms of each word: unchanged, for names and other languages, and stemmed as English. Without the stop words of English.
create or replace function note_lexemes(given text) returns setof text language sql immutable as $$
  select lexeme from unnest(tsvector_to_array(
    to_tsvector('pg_catalog.simple'::regconfig, given) || to_tsvector('pg_catalog.english'::regconfig, given)
  )) as lexeme
  where length(lexeme) <= 100 and ts_lexize('pg_catalog.english_stem', lexeme) is distinct from '{}'
$$;
