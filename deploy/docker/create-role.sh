#!/bin/sh
# The role that owns the database must not be a superuser: row-level security would not apply to it.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$REBORN_PASSWORD" --username=postgres <<'SQL'
create role reborn login password :'password';
create database reborn owner reborn;
SQL
