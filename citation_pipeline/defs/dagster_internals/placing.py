"""Definitions of the package once more, in a namespace of their own.

Dagster has no way to rename the resources that an asset's function takes, and merges two instances' resources
of one name. So the function is taken from the definition and given again, under other names.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import dagster as dg
from dagster._core.definitions.resource_annotation import get_resource_args

from citation_pipeline.defs.namespaces import Namespace

_NO_TAGS: Mapping[str, Any] = {}


def renamed(function: Callable[..., Any], place: Namespace) -> Callable[..., Any]:
    """Return the function with its resources' parameters named as in a namespace."""
    names = {place.name(argument.name): argument.name for argument in get_resource_args(function)}
    if all(new == old for new, old in names.items()):
        return function

    @functools.wraps(function)
    def call_original(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, **{names.get(name, name): value for name, value in given.items()})

    back = {old: new for new, old in names.items()}
    signature = inspect.signature(function)
    parameters = [p.replace(name=back.get(p.name, p.name)) for p in signature.parameters.values()]
    call: Any = call_original
    call.__signature__ = signature.replace(parameters=parameters)
    # Dagster looks both up: the annotations by name, and what is wrapped instead of what wraps
    call.__annotations__ = {back.get(n, n): kind for n, kind in function.__annotations__.items()}
    del call.__wrapped__
    return call  # type: ignore[no-any-return]


def function_of(definition: dg.AssetsDefinition) -> Callable[..., Any]:
    """Return the function that an asset or a check was defined by."""
    return definition.node_def.compute_fn.decorated_fn  # type: ignore[attr-defined, no-any-return]


def placed_asset(
    asset: dg.AssetsDefinition, place: Namespace, step_tags: Mapping[str, Any] = _NO_TAGS
) -> dg.AssetsDefinition:
    """Return an asset of the package as it is in a namespace; `step_tags` say where its steps run."""
    if not place.prefix and not step_tags:
        return asset
    spec, pool = asset.get_asset_spec(), asset.op.pool
    built: dg.AssetsDefinition = dg.asset(
        key=place.key(spec.key.path[-1]),
        deps=[
            dg.AssetDep(place.key(dep.asset_key.path[-1]), partition_mapping=dep.partition_mapping)
            for dep in spec.deps
        ],
        description=spec.description,
        group_name=place.name(spec.group_name or "default"),
        tags=dict(spec.tags),
        code_version=spec.code_version,
        backfill_policy=asset.backfill_policy,
        partitions_def=place.claims if asset.partitions_def is not None else None,
        pool=place.name(pool) if pool else None,
        op_tags=dict(step_tags) or None,
    )(renamed(function_of(asset), place))
    return built


def placed_check(check: dg.AssetChecksDefinition, place: Namespace) -> dg.AssetChecksDefinition:
    """Return an asset check of the package as it is in a namespace."""
    if not place.prefix:
        return check
    (spec,) = check.check_specs
    return dg.asset_check(
        asset=place.key(spec.asset_key.path[-1]),
        name=spec.name,
        description=spec.description,
        partitions_def=place.claims if spec.partitions_def is not None else None,
    )(renamed(function_of(check), place))


def placed_resources(resources: Mapping[str, Any], place: Namespace) -> dict[str, Any]:
    """Return resources under their names in a namespace."""
    return {place.name(name): resource for name, resource in resources.items()}
