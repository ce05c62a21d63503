//! One tab.

use std::{cell::RefCell, fs, path::Path, rc::Rc, time::Instant};

use serde_json::{Value, json};

use super::{PATIENCE, connection::Connection};

/// The window and the settings of the viewer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// In CSS pixels.
    pub(crate) width: u32,
    /// In CSS pixels.
    pub(crate) height: u32,
    /// Whether the viewer prefers dark colours.
    pub(crate) is_dark: bool,
    /// A phone: touch instead of a mouse, no hovering.
    pub(crate) is_phone: bool,
}

impl View {
    pub(crate) const DESKTOP: Self =
        Self { width: 1280, height: 900, is_dark: false, is_phone: false };
    pub(crate) const PHONE: Self = Self { width: 390, height: 844, is_dark: false, is_phone: true };

    /// The same with dark colours.
    pub(crate) const fn dark(self) -> Self {
        Self { is_dark: true, ..self }
    }
}

/// A tab of a browser.
pub(crate) struct Page {
    connection: Rc<RefCell<Connection>>,
    session: String,
}

impl Page {
    pub(super) fn attach(connection: Rc<RefCell<Connection>>, target: &Value, view: View) -> Self {
        let params = json!({ "targetId": target, "flatten": true });
        let attached = connection.borrow_mut().call(None, "Target.attachToTarget", params);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let page = Self { connection, session };
        for domain in ["Page", "Runtime", "Network", "Log", "DOM"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.set_view(view);
        page
    }

    /// Changes the window and the settings of the viewer.
    pub(crate) fn set_view(&self, view: View) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": view.is_phone }),
        );
        let touch = json!({ "enabled": view.is_phone, "maxTouchPoints": 2 });
        self.call("Emulation.setTouchEmulationEnabled", touch);
        let scheme = if view.is_dark { "dark" } else { "light" };
        self.set_media("", scheme);
    }

    /// Shows the page as on paper.
    pub(crate) fn set_print(&self) {
        self.set_media("print", "light");
    }

    /// Sets the languages that the viewer prefers, as in `Accept-Language`, for pages that are loaded from now on.
    pub(crate) fn set_language(&self, languages: &str) {
        let agent = self.text("navigator.userAgent");
        let params = json!({ "userAgent": agent, "acceptLanguage": languages });
        self.call("Emulation.setUserAgentOverride", params);
    }

    fn set_media(&self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }

    /// Loads a page and waits until it is loaded.
    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        let result = self.try_go(url);
        assert_eq!(result, Ok(()), "{url}");
    }

    /// Loads a page and waits until it is loaded, or returns the network error.
    pub(crate) fn try_go(&self, url: &str) -> Result<(), String> {
        let from = self.connection.borrow().events.len();
        let answer = self.call("Page.navigate", json!({ "url": url }));
        if let Some(error) = answer["errorText"].as_str() {
            return Err(error.to_owned());
        }
        self.await_event(from, "Page.loadEventFired");
        Ok(())
    }

    /// Loads the page again and waits until it is loaded.
    pub(crate) fn reload(&self) {
        let from = self.connection.borrow().events.len();
        self.call("Page.reload", json!({}));
        self.await_event(from, "Page.loadEventFired");
    }

    #[track_caller]
    fn await_event(&self, from: usize, method: &str) {
        let is_it = |event: &Value| event["sessionId"] == self.session && event["method"] == method;
        self.connection.borrow_mut().await_event(from, is_it);
    }

    /// Evaluates an expression in the page and returns its value. A promise is awaited.
    ///
    /// # Panics
    /// It throws.
    #[track_caller]
    pub(crate) fn eval(&self, script: &str) -> Value {
        self.try_eval(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of an expression as text.
    #[track_caller]
    pub(crate) fn text(&self, script: &str) -> String {
        match self.eval(script) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// Evaluates an expression, or returns what it throws.
    #[track_caller]
    pub(crate) fn try_eval(&self, script: &str) -> Result<Value, String> {
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.try_call("Runtime.evaluate", &params)?;
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(words_of_exception(thrown)),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Waits until an expression is true, and returns its value.
    ///
    /// # Panics
    /// It is not after [`PATIENCE`].
    #[track_caller]
    pub(crate) fn wait_for(&self, script: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        // The page looks, so that nothing is missed; a short time limit shows a page that was left.
        let look = format!(
            "new Promise((found) => {{ const until = Date.now() + 2000; const look = () => {{ \
             const value = (() => {{ try {{ return ({script}); }} catch (error) {{ return null; }} }})(); \
             if (value || Date.now() > until) found(value); else setTimeout(look, 15); }}; look(); }})"
        );
        loop {
            if let Ok(value) = self.try_eval(&look)
                && is_true(&value)
            {
                return value;
            }
            if Instant::now() > deadline {
                let shown = self.try_eval("document.body && document.body.innerText");
                panic!(
                    "{script} does not become true; errors: {:?}; page: {shown:?}",
                    self.errors()
                );
            }
        }
    }

    /// Presses and releases a key, by its name in `KeyboardEvent.key` (`ArrowLeft`, `Home`, `f`).
    pub(crate) fn press(&self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Home" => 36,
            "End" => 35,
            "PageUp" => 33,
            "PageDown" => 34,
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            " " => 32,
            other => other.bytes().next().unwrap().to_ascii_uppercase().into(),
        };
        let name = match key {
            " " => "Space".to_owned(),
            one if one.len() == 1 => format!("Key{}", one.to_ascii_uppercase()),
            other => other.to_owned(),
        };
        let text = match key {
            "Enter" => Some("\r"),
            one if one.len() == 1 => Some(one),
            _ => None,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": name, "windowsVirtualKeyCode": code });
            if let Some(text) = text.filter(|_| kind == "keyDown") {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Moves the mouse to the middle of an element.
    #[track_caller]
    pub(crate) fn hover(&self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y);
    }

    /// Clicks in the middle of an element.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.click_at(x, y);
    }

    /// Clicks at a point of the window.
    pub(crate) fn click_at(&self, x: f64, y: f64) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, x, y);
        }
    }

    fn mouse(&self, kind: &str, x: f64, y: f64) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let clicks = i32::from(kind != "mouseMoved");
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": clicks }),
        );
    }

    /// Moves a finger over the window through these points; with one point it is a tap.
    pub(crate) fn touch(&self, points: &[(f64, f64)]) {
        for (index, (x, y)) in points.iter().enumerate() {
            let kind = if index == 0 { "touchStart" } else { "touchMove" };
            let params = json!({ "type": kind, "touchPoints": [{ "x": x, "y": y }] });
            self.call("Input.dispatchTouchEvent", params);
        }
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    }

    /// Taps on an element with a finger.
    #[track_caller]
    pub(crate) fn tap(&self, selector: &str) {
        self.touch(&[self.middle(selector)]);
    }

    /// The middle of an element in the window, after it is scrolled into view.
    #[track_caller]
    pub(crate) fn middle(&self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const it = document.querySelector({}); if (!it) return null; \
             it.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        );
        let place = self.eval(&script);
        let at = |index: usize| place[index].as_f64().unwrap_or_else(|| panic!("no {selector}"));
        (at(0), at(1))
    }

    /// Writes a picture (PNG) of the window, or of the whole page.
    pub(crate) fn screenshot(&self, path: impl AsRef<Path>, whole_page: bool) {
        let mut params = json!({ "format": "png", "captureBeyondViewport": whole_page });
        if whole_page {
            let size = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"].take();
            params["clip"] = json!({
                "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1
            });
        }
        let picture = self.call("Page.captureScreenshot", params);
        fs::write(path, from_base64(picture["data"].as_str().unwrap())).unwrap();
    }

    /// Errors and warnings on the console, exceptions, and resources that could not be loaded, in order.
    pub(crate) fn errors(&self) -> Vec<String> {
        let found = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.consoleAPICalled" => {
                    let kind = params["type"].as_str()?;
                    let is_error = matches!(kind, "error" | "warning" | "assert");
                    is_error.then(|| format!("{kind}: {}", params["args"]))
                }
                "Runtime.exceptionThrown" => Some(words_of_exception(&params["exceptionDetails"])),
                "Log.entryAdded" => {
                    let entry = &params["entry"];
                    let is_error = matches!(entry["level"].as_str()?, "error" | "warning");
                    is_error.then(|| format!("{} {}", entry["text"], entry["url"]))
                }
                _ => None,
            }
        };
        self.events(found)
    }

    /// The addresses of all requests of this page, in order. Data in the page itself (`data:`, `blob:`) is left out.
    pub(crate) fn requests(&self) -> Vec<String> {
        let found = |event: &Value| {
            (event["method"] == "Network.requestWillBeSent").then_some(())?;
            let url = event["params"]["request"]["url"].as_str()?;
            (!url.starts_with("data:") && !url.starts_with("blob:")).then(|| url.to_owned())
        };
        self.events(found)
    }

    /// The role and the name of each element as a screen reader sees it.
    pub(crate) fn accessible(&self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        let seen = nodes.iter().filter(|node| node["ignored"] != true);
        seen.map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }

    fn events<T>(&self, found: impl Fn(&Value) -> Option<T>) -> Vec<T> {
        let mut connection = self.connection.borrow_mut();
        connection.take_in();
        let own = connection.events.iter().filter(|event| event["sessionId"] == self.session);
        own.filter_map(found).collect()
    }

    /// Sends a command of the protocol and returns its result.
    #[track_caller]
    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        self.connection.borrow_mut().call(Some(&self.session), method, params)
    }

    #[track_caller]
    fn try_call(&self, method: &str, params: &Value) -> Result<Value, String> {
        self.connection.borrow_mut().try_call(Some(&self.session), method, params)
    }
}

fn words_of_exception(details: &Value) -> String {
    let thrown = details["exception"]["description"].as_str();
    thrown.or_else(|| details["text"].as_str()).unwrap_or("an exception").to_owned()
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// The bytes of a text in base 64.
fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for value in text.bytes().filter_map(digit) {
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
