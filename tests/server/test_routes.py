"""When the server's routes are built."""

from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from memory_core.server.app import create_app
from memory_core.server.routes import RefusingRoute


def test_server_builds_a_route_when_it_is_first_requested(runtime):
    app = create_app(runtime)
    routes = {
        route.path: route
        for route in app.routes
        if isinstance(route, RefusingRoute) and "GET" in route.methods
    }
    TestClient(app, base_url="http://127.0.0.1").get("/namespaces")
    assert "dependant" in vars(routes["/namespaces"])
    assert "dependant" not in vars(routes["/export"])


def test_unbuilt_route_has_the_attributes_of_a_built_one():
    def answer(number: int) -> dict[str, int]:
        """Doubles a number."""
        return {"answer": number * 2}

    built = APIRoute("/{number}", answer, methods=["PUT", "POST"], tags=["Numbers"])
    unbuilt = RefusingRoute("/{number}", answer, methods=["PUT", "POST"], tags=["Numbers"])
    assert unbuilt == built
    assert unbuilt.description == "Doubles a number."
    for name in ("path", "path_format", "methods", "name", "tags", "unique_id", "response_model"):
        assert getattr(unbuilt, name) == getattr(built, name)


def test_unbuilt_route_says_which_attribute_is_missing():
    route = RefusingRoute("/", lambda: {})
    assert not hasattr(route, "colour")
